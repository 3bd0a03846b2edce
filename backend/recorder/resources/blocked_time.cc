#include "recorder/resources/blocked_time.h"

#include <unistd.h>

#include <algorithm>

#include "recorder/standstill/thread_activity.h"

namespace traced {

BlockedTime::BlockedTime(std::int64_t now_ns)
    : stat_(pathOf(getpid(), "stat")), observed_ns_(now_ns) {}

void BlockedTime::observe(std::int64_t now_ns) {
  const char state = stateIn(stat_.read());
  observe(now_ns, state, state == 'D' ? isInCall(getpid()) : std::nullopt);
}

void BlockedTime::observe(std::int64_t now_ns, char state,
                          std::optional<bool> in_call) {
  const auto passed_ns = static_cast<std::uint64_t>(
      std::clamp<std::int64_t>(now_ns - observed_ns_, 0, kMostNs));
  observed_ns_ = now_ns;
  if (state == 0 || (state == 'D' && !in_call)) return;
  times_.known_ns += passed_ns;
  if (state != 'D') return;
  (*in_call ? times_.in_calls_ns : times_.in_faults_ns) += passed_ns;
}

}  // namespace traced
