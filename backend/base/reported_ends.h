// ReportedEnds decides whether a missing end report means that a device call
// has not ended.
//
// Whether ends are reported depends on the engine, its version and a setting,
// so the rule infers it from the reports so far. A watchdog reports the calls
// that return a Work, and device events report the others. Therefore each
// group's calls are split by CallMode.
//
// The reader and the watch in the job share this rule:
// docs/reference/diagnosis.md, "Backends".

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/operation.h"

namespace traced {

enum class CallMode : std::uint8_t { kUnspecified, kSync, kAsync, kBatch };
inline constexpr std::size_t kCallModes = 4;

// Returns the mode of a call. `Call` is v1::Call.
template <typename Call>
CallMode modeOf(const Call& call) {
  if (static_cast<Operation>(call.op()) == Operation::kCoalesced) {
    return CallMode::kBatch;
  }
  if (!call.has_async()) return CallMode::kUnspecified;
  return call.async() ? CallMode::kAsync : CallMode::kSync;
}

// Returns a key for the calls of one group and mode. The keys of one group are
// adjacent.
constexpr std::uint64_t modeKey(std::uint32_t group, CallMode mode) {
  return std::uint64_t{group} * kCallModes + static_cast<std::uint64_t>(mode);
}

// Statistics over the calls of one group and mode, in issue order.
struct ReportedEnds {
  // Number of consecutive reports after which earlier holes are ignored. At the
  // start of a job holes are normal, because the events for device times are
  // still being created.
  static constexpr std::uint32_t kEnough = 16;

  std::uint32_t in_a_row = 0;
  // Some calls ended without a report, as reports of later calls prove.
  bool had_holes = false;
  // Some ends were reported although no caller waited.
  bool unasked = false;

  // Counts a call that ended without a report.
  void hole() {
    had_holes = true;
    in_a_row = 0;
  }
  // Counts a reported end. `by_itself`: reported although no caller waited.
  void ended(bool by_itself) {
    ++in_a_row;
    unasked |= by_itself;
  }
  // Returns whether a call without a report has not ended. A batch does not
  // record whether it is synchronous, so any hole makes batches unreliable.
  bool reliable(CallMode mode) const {
    return in_a_row > 0 &&
           (!had_holes || (mode != CallMode::kBatch && in_a_row >= kEnough));
  }
};

}  // namespace traced
