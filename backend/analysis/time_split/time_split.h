// Splits the time of an operation into waiting for peers and transfer.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "analysis/job/time_windows.h"
#include "analysis/time_split/ready_table.h"

namespace traced {

// The known times of one operation on one rank. A field is absent if it cannot
// be decided because another rank's part or clock is unknown.
struct OperationSplit {
  // Time from this rank's readiness to that of the last rank it depends on; 0
  // if this rank is last. If data may pass through other ranks, the upper bound
  // extends to the last of all ranks.
  std::optional<CertifiedTime> wait_for_peers;
  // From the end of waiting to the end of the operation. Absent if most of it
  // may have been waiting for ranks that pass data on. If the end is an upper
  // bound, the lower bound is at most 0; `transfer_above_zero` ignores that.
  std::optional<CertifiedTime> transfer;
  bool transfer_above_zero = false;
  // From ready to end, on the rank's own clock.
  std::optional<std::uint64_t> ready_to_end_ns;
  // How long the caller was blocked in its wait, or the device was stalled.
  std::optional<std::uint64_t> exposed_ns;
  // How long the operation had been finished when the caller began to wait.
  std::optional<std::uint64_t> slack_ns;

  // Whether this rank was certainly last. Only for operations in which all
  // ranks wait for all.
  struct ReadyOrder {
    bool is_last = false;
    // How long after the second last rank the last one was ready, by the
    // estimated clocks. The last one may be another rank.
    std::uint64_t behind_ns = 0;
  };
  std::optional<ReadyOrder> ready;
  // Same by the estimated clocks, even if uncertain.
  std::optional<ReadyOrder> likely_ready;
  // The last rank that this one depends on: the sender, the root, or the last
  // of several. `ns`: the time waited for that rank alone; `certain_ns`: its
  // lower bound. 0 if this rank is the last.
  struct Awaited {
    std::uint32_t rank = 0;
    std::uint64_t ns = 0;
    std::uint64_t certain_ns = 0;
  };
  std::optional<Awaited> awaited;
  // When the rank was ready, in common time.
  std::optional<std::int64_t> ready_ns;
};

// Returns the times of one operation. `operation`: its index in the stream of
// `ready_times`.
OperationSplit splitTime(const ReadyRows& ready_times, std::size_t operation);

// Return when the operation waited for peers (by estimated clocks) and when it
// transferred, on the rank's own clock. Empty if unknown.
TimeWindow waitingWindow(const ReadyTable::Stream& stream,
                         std::size_t operation, const OperationSplit& split);
TimeWindow transferWindow(const AssembledOperation& op,
                          const OperationSplit& split);
// Returns the window of length |ns| after `from`, or before it if `ns` is
// negative. Empty if `from` is unknown or the window exceeds the range of time.
TimeWindow windowAt(Instant from, std::int64_t ns);

// Returns whether this rank was certainly the last of all members and delayed
// others. Its `behind_ns` is the minimum delay, or 0 if this rank was not last.
// Returns nullopt if the operation has no root, failed, is unmatched or has no
// bytes, or if some member's ready time is unknown.
std::optional<OperationSplit::ReadyOrder> lastInRooted(
    const ReadyRows& ready_times, std::size_t operation);

}  // namespace traced
