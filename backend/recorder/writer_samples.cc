// The part of Writer that samples what the process uses and what its threads
// do.

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/clock.h"
#include "recorder/recorder.h"
#include "recorder/standstill/python_threads.h"
#include "recorder/standstill/thread_sample.h"
#include "recorder/writer.h"

namespace traced {
namespace {

// Minimum time between samples that nobody requested.
constexpr std::int64_t kMinPauseNs = 1'000'000'000;
// Maximum number of threads in a sample.
constexpr std::size_t kMaxThreads = 64;

void addNew(const std::vector<std::int64_t>& more,
            std::vector<std::int64_t>& tids) {
  for (const std::int64_t tid : more) {
    const bool known = std::find(tids.begin(), tids.end(), tid) != tids.end();
    if (!known && tids.size() < kMaxThreads) tids.push_back(tid);
  }
}

std::uint32_t bitsOf(const ThreadSample& thread,
                     const InterpreterState& interpreter) {
  std::uint32_t bits = 0;
  if (interpreter.collects) bits |= v1::INTERPRETER_BIT_COLLECTING;
  if (interpreter.gil_holder == thread.tid) {
    bits |= v1::INTERPRETER_BIT_HOLDS_LOCK;
  }
  if (thread.waits_for_gil) bits |= v1::INTERPRETER_BIT_WAITS_FOR_LOCK;
  return bits;
}

}  // namespace

void Writer::sampleResources(bool last) noexcept {
  if (!resources_) return;
  try {
    const std::int64_t now_ns = nowNs();
    resources_->observe(now_ns);
    if (!resources_->isDue(now_ns, last)) return;
    ring_.pushLong(RecordKind::kResources,
                   resources_->sample(now_ns, builder_.threads()));
  } catch (const std::exception&) {  // no memory: no sample
  }
}

std::vector<std::int64_t> Writer::sampledThreads(PythonThreads* python) const {
  std::vector<std::int64_t> tids = {getpid()};
  addNew(builder_.threads(), tids);
  if (python && sampled_threads_ == SampledThreads::kAll) {
    addNew(python->all(), tids);
  }
  return tids;
}

bool Writer::mayCommunicateUnseen() {
  const std::uint64_t left_out = left_out_ ? left_out_->load() : 0;
  return std::exchange(seen_left_out_, left_out) != left_out ||
         !Recorder::enabled();
}

bool Writer::sampleThreads(std::optional<v1::SampleCause> news,
                           std::int64_t drained_ns) noexcept {
  if (!samples_threads_) return false;
  if (mayCommunicateUnseen()) idle_.note(drained_ns);
  const bool is_idle = idle_.isDue(drained_ns);
  if (!news && is_idle) news = v1::SAMPLE_CAUSE_STANDSTILL;
  if (!news) return false;
  const bool is_early = *news != v1::SAMPLE_CAUSE_REQUEST &&
                        drained_ns - sampled_ns_ < kMinPauseNs;
  Recorder* const recorder = Recorder::current();
  if (is_early || !recorder) return false;
  sampled_ns_ = drained_ns;
  try {
    sampleThreads(*news, *recorder);
  } catch (const std::exception&) {  // no memory: the sample is incomplete
  }
  return true;
}

void Writer::sampleThreads(v1::SampleCause cause, Recorder& recorder) {
  PythonThreads* const python = python_threads.load();
  const InterpreterState interpreter =
      python ? python->interpreter() : InterpreterState();
  const std::int64_t now_ns = nowNs();
  std::vector<std::int64_t> tids = sampledThreads(python);
  // Grows by the thread that holds the interpreter lock if another one waits
  // for it.
  for (std::size_t i = 0; i < tids.size(); ++i) {
    const ThreadSample thread = sampleThread(tids[i], python);
    if (thread.activity.state == 0) continue;  // it has ended
    if (thread.waits_for_gil && interpreter.gil_holder != 0) {
      addNew({interpreter.gil_holder}, tids);
    }
    // A stack takes many slots, and the job needs some meanwhile.
    if (ring_.used() > ring_.capacity() / 4) writeChunk(false);
    recorder.sample(thread, cause, bitsOf(thread, interpreter), now_ns);
    drain();
  }
}

}  // namespace traced
