#include "soak/load.h"

#include <chrono>

namespace traced::testing {
namespace {

constexpr int kRecordsPerOperation = 5;
constexpr int kOperationsAtOnce = 50;
// Shapes come and go: more than the recorder remembers at a time.
constexpr std::uint64_t kShapes = 3000;

GroupInfo worldOfTwo() {
  GroupInfo info;
  info.name = "0";
  info.desc = "default_pg";
  info.backend = "gloo";
  info.leg = "cpu";
  info.members = {0, 1};
  return info;
}

void completeCall(Recorder& recorder, RecordedGroup& group, std::uint64_t seq) {
  const auto elements = static_cast<std::int64_t>(16 + seq / 100 % kShapes);
  CallDescription call(Operation::kAllReduce, group.id());
  call.fields().in_place = true;
  call.addInput(DType::kFloat32, {&elements, 1},
                static_cast<std::uint64_t>(elements) * 4);
  const OpId op = recorder.issue(group, call, {}, seq, 0, nowNs());
  recorder.returned(op, nowNs());
  recorder.done(op, nowNs(), EndSource::kFuture);
  recorder.waited({op, nowNs(), 5, 0, 0, 0, Outcome::kOk, true});
  recorder.released(op);
}

}  // namespace

Load::Load(Recorder& recorder, int threads, double rate)
    : recorder_(recorder), group_(recorder.addGroup(worldOfTwo())) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this, i, rate, threads] { run(i, rate / threads); });
  }
}

Load::~Load() { stop(); }

std::uint64_t Load::stop() {
  stopping_ = true;
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
  return records();
}

std::uint64_t Load::records() const { return records_.load(); }

void Load::run(int number, double rate) {
  using Clock = std::chrono::steady_clock;
  constexpr int kBurst = kOperationsAtOnce * kRecordsPerOperation;
  const auto start = Clock::now();
  auto seq = static_cast<std::uint64_t>(number) << 40;
  for (std::uint64_t made = 0; !stopping_; made += kBurst) {
    for (int i = 0; i < kOperationsAtOnce; ++i) {
      completeCall(recorder_, *group_, ++seq);
    }
    records_ += kBurst;
    const std::chrono::duration<double> due(static_cast<double>(made) / rate);
    std::this_thread::sleep_until(
        start + std::chrono::duration_cast<Clock::duration>(due));
  }
}

}  // namespace traced::testing
