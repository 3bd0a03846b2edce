#include "analysis/time_split/root_arrival.h"

#include <algorithm>

#include "analysis/job/holds_up.h"

namespace traced {
namespace {

bool holdsUp(const v1::Call& call, std::uint32_t group_rank) {
  const bool is_root = call.root_plus_1() == std::uint64_t{group_rank} + 1;
  return is_root == (whoHoldsUp(call.op()) == HoldsUp::kRoot);
}

}  // namespace

std::optional<OperationSplit::Arrival> rootArrival(const ArrivalRows& arrivals,
                                                   std::size_t operation) {
  const ArrivalTable::Stream& stream = arrivals.stream();
  const AssembledOperation& op = stream.table.operations[operation];
  const MatchedCall* matched = stream.calls.of(op);
  const v1::Call* call = stream.table.callOf(op);
  if (!matched || !call || op.failed || call->root_plus_1() == 0 ||
      whoHoldsUp(call->op()) == HoldsUp::kAnyRank ||
      std::max(call->bytes_in(), call->bytes_out()) == 0) {
    return std::nullopt;
  }
  const auto ready = ArrivalTable::common(stream, stream.ready[operation]);
  const ArrivalTable::Row* const row = arrivals.find(op);
  if (!ready || !row || row->present != matched->group_size) {
    return std::nullopt;
  }
  const std::uint32_t group_rank =
      stream.table.definitions.groups()[stream.table.groupOf(*call)].group_rank;
  const std::int64_t behind_ns =
      ready->certified.low_ns - ready->early_ns - row->before_latest.high_ns;
  if (!holdsUp(*call, group_rank) || behind_ns <= 0) {
    return OperationSplit::Arrival{};
  }
  return OperationSplit::Arrival{true, static_cast<std::uint64_t>(behind_ns)};
}

}  // namespace traced
