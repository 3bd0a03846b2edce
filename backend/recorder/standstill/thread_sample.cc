#include "recorder/standstill/thread_sample.h"

#include <optional>
#include <utility>
#include <vector>

namespace traced {
namespace {

// Number of readings of a running thread until two in a row must agree.
constexpr int kMaxReadings = 8;

bool isSame(const v1::Stack& one, const v1::Stack& other) {
  return one.SerializeAsString() == other.SerializeAsString();
}

void accept(v1::Stack stack, v1::StackReading reading, ThreadSample& sample) {
  const bool runs_python = stack.frame_size() > 0;
  sample.reading = runs_python ? reading : v1::STACK_READING_NO_PYTHON;
  sample.stack = std::move(stack);
}

void readCall(PythonThreads* python, ThreadSample& sample) {
  const WaitingCall call = waitingCallOf(sample.tid);
  sample.waits_in = call.text;
  sample.waits_for_gil = python && call.futex != 0 && python->isGil(call.futex);
}

// Reads the stack until it is certain or two readings agree.
void readStack(PythonThreads& python, ThreadSample& sample) {
  std::optional<v1::Stack> before;
  sample.reading = v1::STACK_READING_FAILED;
  for (int i = 0; i < kMaxReadings; ++i) {
    std::optional<v1::Stack> now = python.stackOf(sample.tid);
    readCall(&python, sample);
    const ThreadActivity after = activityOf(sample.tid);
    const bool slept = hasSlept(sample.activity, after);
    sample.activity = after;
    if (!now) {
      if (slept || after.state == 0) return;  // another reading fails alike
      before.reset();
      continue;
    }
    if (slept) {
      return accept(*std::move(now), v1::STACK_READING_EXACT, sample);
    }
    if (before && isSame(*before, *now)) {
      return accept(*std::move(now), v1::STACK_READING_REPEATED, sample);
    }
    if (before) {
      v1::Stack common = commonOf(*before, *now);
      if (common.frame_size() > 0) {
        accept(std::move(common), v1::STACK_READING_PARTIAL, sample);
      }
    }
    before = std::move(now);
  }
}

}  // namespace

v1::Stack commonOf(const v1::Stack& one, const v1::Stack& other) {
  v1::Stack common;
  // Without the outermost frames it is unknown which frames correspond.
  if (one.cut() > 0 || other.cut() > 0) return common;
  std::vector<v1::Frame> frames;
  for (int i = one.frame_size(), j = other.frame_size(); i > 0 && j > 0;) {
    v1::Frame frame = one.frame(--i);
    const v1::Frame& also = other.frame(--j);
    if (frame.function() != also.function() || frame.file() != also.file()) {
      break;
    }
    const bool is_same = frame.line() == also.line();
    if (!is_same) frame.clear_line();
    frames.push_back(std::move(frame));
    if (!is_same) break;
  }
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    *common.add_frame() = std::move(*frame);
  }
  return common;
}

ThreadSample sampleThread(std::int64_t tid, PythonThreads* python) {
  ThreadSample sample;
  sample.tid = tid;
  sample.activity = activityOf(tid);
  if (sample.activity.state == 0) return sample;
  if (python) {
    readStack(*python, sample);
  } else {
    readCall(nullptr, sample);
  }
  if (sample.activity.state == 'R') {  // it waits no more
    sample.waits_in.clear();
    sample.waits_for_gil = false;
  }
  return sample;
}

}  // namespace traced
