// TimeSplit cuts the time of an operation into waiting for peers and transfer.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "analysis/job/time_windows.h"
#include "analysis/time_split/ready_table.h"

namespace traced {

// What is known of one operation on one rank. What cannot be decided, because a
// rank's part or its clock is not known, is absent.
struct OperationSplit {
  // The last ready among those it depends on, less its own; 0 for the last. At
  // most until the last of all was ready, where any other may be the one that
  // passes something on or takes it.
  std::optional<CertifiedTime> wait_for_peers;
  // From the later of the two to the end; absent where most of that may have
  // been a wait for such others. An end that is a late bound leaves
  // its beginning open, but whether it is above 0 is the clocks' affair.
  std::optional<CertifiedTime> transfer;
  bool transfer_above_zero = false;
  // From being ready to the end, on the rank's own clock.
  std::optional<std::uint64_t> ready_to_end_ns;
  // How long the caller was held up: by the wait, or the device by its stall.
  std::optional<std::uint64_t> exposed_ns;
  // How long the end had been there when the caller began to wait for it.
  std::optional<std::uint64_t> slack_ns;

  // Of an operation in which all wait for all, where it is certain who was the
  // last: whether it was this rank, and how long after the last but one.
  struct Arrival {
    bool is_last = false;
    std::uint64_t behind_ns = 0;
  };
  std::optional<Arrival> ready;
  // The same as clocks have it, certain or not: who seems to have been the
  // last.
  std::optional<Arrival> likely_arrival;
  // Where not all wait for all, the rank waited for: the sender, the root, or
  // the last of those that a root waits for. `ns`: for that one alone.
  struct Awaited {
    std::uint32_t rank = 0;
    std::uint64_t ns = 0;
    std::uint64_t certain_ns = 0;
  };
  std::optional<Awaited> awaited;
  // When it was ready, on the common time line.
  std::optional<std::int64_t> ready_ns;
};

// `arrivals`: as the operation's stream asks for them.
OperationSplit splitTime(const ReadyRows& ready_times, std::size_t operation);

// When the operation waited for peers, as clocks have it, and when it was in
// transfer, on the rank's own clock; empty where that is not known.
TimeWindow waitingWindow(const ReadyTable::Stream& stream,
                         std::size_t operation, const OperationSplit& split);
TimeWindow transferWindow(const AssembledOperation& op,
                          const OperationSplit& split);
// From `from`, or before it where `ns` is negative.
TimeWindow windowAt(Instant from, std::int64_t ns);

// Returns whether this rank certainly was the last of all members and held
// others up, and by how much at least. Absent where the operation has no root,
// or where it is not known when all members were ready.
std::optional<OperationSplit::Arrival> rootReady(const ReadyRows& ready_times,
                                                 std::size_t operation);

}  // namespace traced
