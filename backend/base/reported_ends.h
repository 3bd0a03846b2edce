// Of calls on a device ends are told or not, which depends on the engine, its
// version and a setting: so it is read off what was told so far. An engine's
// watchdog tells of calls that return a Work, and events of those that return
// none: so each group's calls are of four manners.
//
// The one place of that rule, for the reader and for the watch in the job:
// docs/reference/diagnosis.md, "Backends".

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/operation.h"

namespace traced {

enum class CallMode : std::uint8_t { kUnsaid, kSync, kAsync, kBatch };
inline constexpr std::size_t kCallModes = 4;

// `Call`: v1::Call.
template <typename Call>
CallMode modeOf(const Call& call) {
  if (static_cast<Operation>(call.op()) == Operation::kCoalesced) {
    return CallMode::kBatch;
  }
  if (!call.has_async()) return CallMode::kUnsaid;
  return call.async() ? CallMode::kAsync : CallMode::kSync;
}

// A key for the calls of one group and manner. Those of a group are adjacent.
constexpr std::uint64_t modeKey(std::uint32_t group, CallMode manner) {
  return std::uint64_t{group} * kCallModes + static_cast<std::uint64_t>(manner);
}

// Of the calls of one group and manner, in their order.
struct ReportedEnds {
  // So many that were told without a hole stand for all: at the beginning the
  // events of device times are still being made.
  static constexpr std::uint32_t kEnough = 16;

  std::uint32_t in_a_row = 0;
  // Some had ended, as others behind them have, and were not told.
  bool had_holes = false;
  // Some were told where nobody waited.
  bool unasked = false;

  void hole() {
    had_holes = true;
    in_a_row = 0;
  }
  void ended(bool by_itself) {
    ++in_a_row;
    unasked |= by_itself;
  }
  // Whether one that is not told has not ended. Batches do not say whether they
  // are synchronous: any hole may be one of those.
  bool reliable(CallMode manner) const {
    return in_a_row > 0 &&
           (!had_holes || (manner != CallMode::kBatch && in_a_row >= kEnough));
  }
};

}  // namespace traced
