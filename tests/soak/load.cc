#include "soak/load.h"

#include <chrono>

#include "support/record_calls.h"

namespace traced::testing {
namespace {

constexpr int kRecordsPerOperation = 5;
constexpr int kOperationsAtOnce = 50;
// Number of shapes that calls cycle through within seconds: more than the
// recorder remembers at a time.
constexpr std::uint64_t kShapes = 3000;

std::int64_t elementsOf(std::uint64_t seq) {
  return static_cast<std::int64_t>(16 + seq / 25 % kShapes);
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
      ++seq;
      completeCall(recorder_, *group_, seq, 0, elementsOf(seq));
    }
    records_ += kBurst;
    const std::chrono::duration<double> due(static_cast<double>(made) / rate);
    std::this_thread::sleep_until(
        start + std::chrono::duration_cast<Clock::duration>(due));
  }
}

}  // namespace traced::testing
