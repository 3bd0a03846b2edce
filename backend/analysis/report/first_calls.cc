#include "analysis/report/first_calls.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "analysis/stream/operation_kinds.h"

namespace traced {

FirstCalls::FirstCalls(const StreamTable& table) {
  const std::vector<v1::Call>& calls = table.definitions.calls();
  std::vector<std::uint32_t> group_of(calls.size(), StreamDefinitions::kNone);
  std::vector<bool> is_open(table.definitions.groups().size());
  std::size_t open = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::uint32_t group = table.groupOf(calls[i]);
    if (group == StreamDefinitions::kNone || calls[i].simulated()) continue;
    group_of[i] = group;
    open += !is_open[group];
    is_open[group] = true;
  }
  for (const AssembledOperation& op : table.operations) {
    if (open == 0) return;
    if (op.call == AssembledOperation::kNoCall) continue;
    const std::uint32_t group = group_of[op.call];
    if (group == StreamDefinitions::kNone || !is_open[group]) continue;
    is_open[group] = false;
    --open;
    // Messages are numbered by pair of ranks, so their number proves less.
    const bool may_lack_first =
        isPointToPoint(calls[op.call].op()) && op.id < table.lost_before;
    if (op.seq != 1 || may_lack_first) continue;
    operations_.insert(op.id);
    last_ = std::max(last_, op.id);
    if (op.batch != 0) batches_.insert(op.batch);
  }
}

}  // namespace traced
