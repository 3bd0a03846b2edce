#include "analysis/time_split/own_arrivals.h"

namespace traced {

OwnArrivals::OwnArrivals(const StreamTable& table,
                         absl::Span<const std::uint32_t> groups)
    : OwnArrivals(table, MatchedCalls(table, groups), readyTimes(table)) {}

OwnArrivals::OwnArrivals(const StreamTable& table, const MatchedCalls& calls,
                         absl::Span<const ReadyTime> ready)
    : rank_(table.header.rank()), calls_(calls) {
  parts_.reserve(ready.size());
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const AssembledOperation& op = table.operations[i];
    if (!calls_.of(op)) continue;
    parts_.push_back(
        {op.seq, ready[i].at, ready[i].earliest, op.call, op.failed});
  }
}

}  // namespace traced
