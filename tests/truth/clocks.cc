#include "truth/clocks.h"

#include "truth/random.h"

namespace traced::truth {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kWallNs = 1'700'000'000 * kSecond;

}  // namespace

HostClock::HostClock(const Program& program, std::uint32_t host,
                     std::int64_t seconds_ago) {
  Random random(program.clock_seed, {20, host});
  begin_ns_ = (random.between(10'000, 20'000) - seconds_ago) * kSecond;
  drift_ppb_ = random.between(-40'000, 40'000);
  wall_begin_ns_ =
      kWallNs - seconds_ago * kSecond + random.between(-50'000'000, 50'000'000);
  step_at_ns_ = random.between(0, kSecond);
  const std::int64_t step_ns = random.between(20'000'000, 50'000'000);
  if (has(program.features, Feature::kClockSteps) && host > 0 &&
      random.oneIn(2)) {
    step_ns_ = step_ns;
  }
}

std::int64_t HostClock::monotonicNs(std::int64_t true_ns) const {
  return begin_ns_ + true_ns + true_ns / 1000 * drift_ppb_ / 1'000'000 +
         (true_ns >= step_at_ns_ ? step_ns_ : 0);
}

std::int64_t HostClock::realtimeNs(std::int64_t true_ns) const {
  return wall_begin_ns_ + true_ns;
}

bool HostClock::steppedBetween(std::int64_t from_ns, std::int64_t to_ns) const {
  return step_ns_ > 0 && from_ns < step_at_ns_ && step_at_ns_ <= to_ns;
}

bool anyClockStepped(const Program& program, std::int64_t until_ns) {
  for (std::uint32_t host = 0; host < program.hosts(); ++host) {
    if (HostClock(program, host).steppedBetween(-1, until_ns)) return true;
  }
  return false;
}

}  // namespace traced::truth
