#include "analysis/time_split/time_split.h"

#include <algorithm>
#include <utility>

#include "analysis/job/dependency.h"
#include "analysis/stream/observed_end.h"
#include "analysis/time_split/certified_times.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

// Sets the times that need only the rank's own clock.
void addOwnTimes(OperationSplit& split, const AssembledOperation& op,
                 Instant ready) {
  if (op.failed) return;
  split.ready_to_end_ns = between(ready, op.ended);
  split.slack_ns = between(op.ended, op.wait_began);
  split.exposed_ns = op.exposedNs();
}

OperationSplit::ReadyOrder readyOf(const ReadyTable::Row& row,
                                   std::uint32_t rank) {
  return {row.last_rank == rank,
          static_cast<std::uint64_t>(row.last.ns - row.before_last.ns)};
}

OperationSplit::Awaited awaitedOf(const ReadyTable::Row& row,
                                  const CertifiedTime& wait) {
  std::int64_t ns = wait.ns;
  std::int64_t certain_ns = std::min(wait.ns, wait.low_ns);
  if (row.joined > 1) {
    ns = std::min(ns, row.last.ns - row.before_last.ns);
    certain_ns = row.isLastCertain() ? std::min(ns, certain_ns) : 0;
  }
  return {row.last_rank, notBelowZero(ns), notBelowZero(certain_ns)};
}

// Returns the time from `from`, or from the last rank depended on if that was
// later, to the end. `row` is nullptr if the rank depends on none.
CertifiedTime transferFrom(const CommonInstant& from,
                           const ReadyTable::Row* row,
                           const CommonInstant& end) {
  const std::int64_t ns = end.own_ns - from.own_ns;
  CertifiedTime transfer{ns, ns, ns + from.early_ns};
  if (!row) return transfer;
  const CertifiedTime last = row->lastAfter(end);
  transfer.ns = std::min(transfer.ns, -last.ns);
  transfer.low_ns = std::min(transfer.low_ns, -last.high_ns);
  transfer.high_ns = std::min(transfer.high_ns, -last.low_ns);
  return transfer;
}

// Widens the bounds of wait and transfer for ranks that pass data on. Until
// `until_ns` after it was ready, out of `whole_ns`, the rank may have waited
// for them. Returns false if this may be most of the transfer: then the
// transfer time is unknown.
bool leaveOpen(std::int64_t until_ns, std::int64_t whole_ns,
               const CommonInstant& ready, OperationSplit& split,
               CertifiedTime& transfer) {
  CertifiedTime wait = split.wait_for_peers.value_or(CertifiedTime{});
  const std::int64_t held_ns =
      until_ns - std::max<std::int64_t>(wait.low_ns, 0);
  const std::int64_t longest_ns = until_ns + ready.early_ns;
  if (held_ns <= 0 && longest_ns <= 0) return true;
  wait.high_ns = std::max(wait.high_ns, longest_ns);
  split.wait_for_peers = wait;
  transfer.low_ns = std::min(transfer.low_ns, whole_ns - until_ns);
  return 2 * held_ns <= transfer.ns;
}

}  // namespace

OperationSplit splitTime(const ReadyRows& ready_times, std::size_t operation) {
  const ReadyTable::Stream& stream = ready_times.stream();
  const AssembledOperation& op = stream.table.operations[operation];
  OperationSplit split;
  addOwnTimes(split, op, stream.ready[operation].at);
  const MatchedCall* call = stream.calls.of(op);
  if (!call || op.failed) return split;
  const DependencyRole& role = call->role;
  const auto ready = ReadyTable::common(stream, stream.ready[operation]);
  if (!ready) return split;
  split.ready_ns = ready->ns;
  const auto end = ReadyTable::common(stream, op.ended);
  const ReadyTable::Row* const met = ready_times.find(op);
  const ReadyTable::Row* row = nullptr;
  if (!role.independent) {
    const bool is_complete = met && met->isComplete(*call);
    if (!is_complete || !role.proves || (role.relayed && !end)) return split;
    // The root of a group of one waits for no rank.
    if (met->joined > 0) row = met;
    split.wait_for_peers = row ? row->lastAfter(*ready) : CertifiedTime{};
    split.wait_for_peers->high_ns += ready->early_ns;
    const bool all_wait_for_all =
        role.proven && role.provable == call->group_size;
    if (row && all_wait_for_all) {
      split.likely_ready = readyOf(*row, stream.table.header.rank());
      if (row->isLastCertain()) split.ready = split.likely_ready;
    }
    if (row) {
      split.awaited = awaitedOf(*row, *split.wait_for_peers);
    }
  }
  if (!end) return split;
  CertifiedTime transfer = transferFrom(*ready, row, *end);
  // No operation ends before all ranks are ready. These ranks did not meet in
  // this operation, so none waited for another.
  if (transfer.high_ns < 0) {
    split.wait_for_peers.reset();
    split.ready.reset();
    split.likely_ready.reset();
    split.awaited.reset();
    return split;
  }
  if (role.independent || role.relayed) {
    const std::int64_t last_ns =
        met ? met->lastBeforeNs(*call, end->certified) : end->certified.high_ns;
    const std::int64_t until_ns = last_ns - ready->certified.low_ns;
    const std::int64_t whole_ns = end->own_ns - ready->own_ns;
    if (!leaveOpen(until_ns, whole_ns, *ready, split, transfer)) return split;
  }
  split.transfer_above_zero = transfer.low_ns > 0;
  // The operation may have ended as soon as all were ready.
  if (isLateBound(op)) {
    transfer.low_ns = std::min<std::int64_t>(transfer.low_ns, 0);
  }
  split.transfer = transfer;
  return split;
}

TimeWindow windowAt(Instant from, std::int64_t ns) {
  if (!from.known()) return {};
  const Instant to(wrappingSum(from.ns(), ns));
  const auto [begin, end] = ns < 0 ? std::pair(to, from) : std::pair(from, to);
  return windowBetween(begin, end);
}

TimeWindow waitingWindow(const ReadyTable::Stream& stream,
                         std::size_t operation, const OperationSplit& split) {
  if (!split.wait_for_peers) return {};
  return windowAt(stream.ready[operation].at,
                  std::max<std::int64_t>(split.wait_for_peers->ns, 0));
}

TimeWindow transferWindow(const AssembledOperation& op,
                          const OperationSplit& split) {
  if (!split.transfer) return {};
  return windowAt(op.ended, -std::max<std::int64_t>(split.transfer->ns, 0));
}

namespace {

bool holdsUp(const v1::Call& call, std::uint32_t group_rank) {
  const bool is_root = call.root_plus_1() == std::uint64_t{group_rank} + 1;
  return is_root == (whoHoldsUp(call.op()) == HoldsUp::kRoot);
}

}  // namespace

std::optional<OperationSplit::ReadyOrder> lastInRooted(
    const ReadyRows& ready_times, std::size_t operation) {
  const ReadyTable::Stream& stream = ready_times.stream();
  const AssembledOperation& op = stream.table.operations[operation];
  const MatchedCall* matched = stream.calls.of(op);
  const v1::Call* call = stream.table.callOf(op);
  if (!matched || !call || op.failed || call->root_plus_1() == 0 ||
      whoHoldsUp(call->op()) == HoldsUp::kAnyRank ||
      std::max(call->bytes_in(), call->bytes_out()) == 0) {
    return std::nullopt;
  }
  const auto ready = ReadyTable::common(stream, stream.ready[operation]);
  const ReadyTable::Row* const row = ready_times.find(op);
  if (!ready || !row || row->present != matched->group_size) {
    return std::nullopt;
  }
  const std::uint32_t group_rank =
      stream.table.definitions.groups()[stream.table.groupOf(*call)].group_rank;
  const std::int64_t behind_ns =
      ready->certified.low_ns - ready->early_ns - row->before_latest.high_ns;
  if (!holdsUp(*call, group_rank) || behind_ns <= 0) {
    return OperationSplit::ReadyOrder{};
  }
  return OperationSplit::ReadyOrder{true,
                                    static_cast<std::uint64_t>(behind_ns)};
}

}  // namespace traced
