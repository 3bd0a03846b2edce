#include "analysis/time_split/time_split.h"

#include <algorithm>

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

}  // namespace

OperationSplit splitTime(const ArrivalTable& arrivals,
                         const ArrivalTable::Stream& stream,
                         std::size_t operation) {
  const AssembledOperation& op = stream.table.operations[operation];
  OperationSplit split;
  addOwnTimes(split, op, stream.ready[operation]);
  const MatchedCall* call = stream.calls.of(op);
  if (!call || op.failed) return split;
  const DependencyRole& role = call->role;
  const auto ready = ArrivalTable::common(stream, stream.ready[operation]);
  if (ready) split.ready_ns = ready->ns;
  if (role.independent) {
    if (split.ready_to_end_ns) {
      const auto ns = static_cast<std::int64_t>(*split.ready_to_end_ns);
      split.transfer = CertifiedTime{ns, ns, ns};
    }
    return split;
  }
  const ArrivalTable::Row* row = arrivals.complete(op, *call);
  if (!row || !role.proves || !ready) return split;
  const CommonInstant& last = row->last.ready;
  const CertifiedTime wait = timeBetween(*ready, last);
  split.wait_for_peers = wait;
  const bool all_wait_for_all =
      role.proven && role.provable == call->group_size;
  if (all_wait_for_all) {
    split.arrival = arrivalOf(*row, stream.table.header.rank());
  }
  const auto end = ArrivalTable::common(stream, op.ended);
  if (!end) return split;
  const CertifiedTime transfer = timeBetween(wait.ns > 0 ? last : *ready, *end);
  // On one clock nothing ends before all are there: a record is wrong.
  if (transfer.high_ns >= 0) split.transfer = transfer;
  return split;
}

}  // namespace traced
