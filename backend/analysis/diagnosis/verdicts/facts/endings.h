// Facts about how processes and engines ended, and about what one rank's trace
// proves by itself.

#pragma once

#include "analysis/diagnosis/job_state/rank_state.h"
#include "analysis/diagnosis/verdicts/facts/shared.h"

namespace traced {

struct ProcessesFailed {
  // All failed in the same way.
  Ranks ranks;
  std::uint32_t first = 0;
};
struct AlsoEnded {
  std::uint32_t rank = 0;
  // Time after the first one. Absent if their clocks differ.
  std::optional<std::int64_t> later_ns;
};
struct ContinuedAfterFailure {
  std::uint32_t rank = 0;
  CallOn failed;
  CallOn last;
};
struct HadBeenIn {
  std::uint32_t rank = 0;
  CallOn call;
  std::int64_t waited_ns = 0;
};
struct JobKilled {
  // Ranks by the name of their signal.
  std::vector<std::pair<std::string, Ranks>> ranks_by_signal;
  Ranks ranks;
  // Ranks that had called no operation for an unusually long time.
  Ranks silent{};
  std::int64_t silent_ns = 0;
};
// Silence of ranks before they were killed. `may_create`: one of them may have
// been in a call that creates groups.
struct SilenceUnexplained {
  bool several = false;
  bool may_create = false;
  // The longest earlier pause between two operations. 0 if none.
  std::int64_t longest_pause_ns = 0;
};
// Ranks that were killed in the same call that creates groups.
struct KilledCreating {
  Ranks ranks;
  // `for_ns`: of the rank that was in it for the shortest time.
  Creating call;
};
struct EngineGaveUp {
  std::uint32_t group = 0;
  Ranks ranks;
  std::string why;
};
// The last call of a rank when its engine gave up.
struct StateAtGivingUp {
  std::uint32_t rank = 0;
  // Absent if it had called nothing.
  std::optional<CallOn> call;
  bool is_inside = false;
  std::int64_t issued_before_ns = 0;
};
struct FailedForUnknownReason {
  CallOn call;
  std::uint32_t rank = 0;
};
struct CallFailed {
  CallOn call;
  std::uint32_t rank = 0;
  std::string error;
};
struct NeverWaited {
  std::uint32_t rank = 0;
  CallOn call;
};
struct BuffersOverlap {
  std::uint32_t rank = 0;
  CallOn call;
  CallOn earlier;
};
struct FirstOfMany {
  std::uint64_t count = 0;
  std::uint32_t rank = 0;
};
// The current activity of a process, for `tracectl diagnose --follow`.
struct ProcessNow {
  enum class Doing : std::uint8_t {
    kHidden,
    kStopped,
    kOnDisk,
    kComputes,
    kSleeps
  };

  std::uint32_t rank = 0;
  Doing doing = Doing::kHidden;
  std::int64_t pid = 0;
  double cpu_s = 0;
  double span_s = 0;
};

using EndingFact =
    std::variant<ProcessesFailed, AlsoEnded, ContinuedAfterFailure, HadBeenIn,
                 JobKilled, SilenceUnexplained, KilledCreating, EngineGaveUp,
                 StateAtGivingUp, FailedForUnknownReason, CallFailed,
                 NeverWaited, BuffersOverlap, FirstOfMany, ProcessNow>;

}  // namespace traced
