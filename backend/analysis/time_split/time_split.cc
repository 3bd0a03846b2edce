#include "analysis/time_split/time_split.h"

#include <algorithm>

#include "analysis/observed_end.h"

namespace traced {
namespace {

// What the host's clock alone tells.
void addOwnTimes(OperationSplit& split, const AssembledOperation& op,
                 Instant ready) {
  if (op.failed) return;
  split.ready_to_end_ns = between(ready, op.ended);
  split.slack_ns = between(op.ended, op.wait_began);
  split.exposed_ns = op.stall_ns_plus_1 > 0
                         ? std::optional(op.stall_ns_plus_1 - 1)
                         : between(op.wait_began, op.wait_ended);
}

std::optional<OperationSplit::Arrival> arrivalOf(const ArrivalTable::Row& row,
                                                 std::uint32_t rank) {
  const CertifiedTime behind =
      timeBetween(row.before_last.ready, row.last.ready);
  if (behind.low_ns < 0) return std::nullopt;
  return OperationSplit::Arrival{row.last.rank == rank,
                                 static_cast<std::uint64_t>(behind.ns)};
}

// From `from`, on any clock, to the end. For `held_ns` at most of that it may
// have waited for others: where this is most of it, nobody knows which it was.
void setTransfer(OperationSplit& split, const AssembledOperation& op,
                 const CommonInstant& from, const CommonInstant& end,
                 std::int64_t held_ns) {
  CertifiedTime transfer = timeBetween(from, end);
  // On one clock nothing ends before all are there: a record is wrong.
  if (transfer.high_ns < 0) return;
  if (held_ns > 0) {
    if (!split.wait_for_peers) split.wait_for_peers = CertifiedTime{};
    split.wait_for_peers->high_ns += held_ns;
    transfer.low_ns -= held_ns;
    if (2 * held_ns > transfer.ns) return;
  }
  split.transfer_above_zero = transfer.low_ns > 0;
  if (const auto watched_ns = between(watchedSince(op), op.ended)) {
    transfer.low_ns =
        std::min(transfer.low_ns, static_cast<std::int64_t>(*watched_ns));
  }
  split.transfer = transfer;
}

}  // namespace

OperationSplit splitTime(const ArrivalTable& arrivals,
                         const ArrivalTable::Stream& stream,
                         std::size_t operation) {
  const AssembledOperation& op = stream.table.operations[operation];
  OperationSplit split;
  addOwnTimes(split, op, stream.ready[operation].at);
  const MatchedCall* call = stream.calls.of(op);
  if (!call || op.failed) return split;
  const DependencyRole& role = call->role;
  const auto ready = ArrivalTable::common(stream, stream.ready[operation]);
  if (!ready) return split;
  split.ready_ns = ready->ns;
  const auto end = ArrivalTable::common(stream, op.ended);
  CommonInstant from = *ready;
  if (!role.independent) {
    const ArrivalTable::Row* row = arrivals.complete(op, *call);
    if (!row || !role.proves || (role.relayed && !end)) return split;
    const CommonInstant& last = row->last.ready;
    split.wait_for_peers = timeBetween(*ready, last);
    if (split.wait_for_peers->ns > 0) from = last;
    const bool all_wait_for_all =
        role.proven && role.provable == call->group_size;
    if (all_wait_for_all) {
      split.arrival = arrivalOf(*row, stream.table.header.rank());
    }
  }
  if (!end) return split;
  std::int64_t held_ns = 0;
  if (role.independent || role.relayed) {
    held_ns = std::max<std::int64_t>(
        arrivals.lastBeforeNs(op, *call, end->certified) -
            from.certified.low_ns,
        0);
  }
  setTransfer(split, op, from, *end, held_ns);
  return split;
}

}  // namespace traced
