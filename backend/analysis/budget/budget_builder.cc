#include "analysis/budget/budget_builder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/stream/rank_list.h"

namespace traced {

StepRange usualSteps(const Marks& marks) {
  const std::vector<Marks::Step>& steps = marks.steps();
  if (steps.empty()) return {};
  const std::uint64_t first = steps.front().number;
  const std::uint64_t last =
      steps[steps.size() - (steps.size() > 1 ? 2 : 1)].number;
  // Decreasing step numbers cannot be written as a range.
  return last < first ? StepRange() : StepRange(first, last);
}

void BudgetBuilder::add(const RankUsage& usage) {
  ++world_size_;
  const std::uint64_t steps = usage.stepsIn(steps_);
  for (const RankUsage::Entry& entry : usage.entries()) {
    OnRank on_rank{usage.rank(), {}, {}};
    std::uint64_t used = 0;
    bool same = true;
    for (const StepUsage& step : entry.steps) {
      if (!steps_.holds(usage.numberOf(step))) continue;
      if (used++ == 0) on_rank.each_step = step.usage;
      same = same && *on_rank.each_step == step.usage;
      on_rank.total.add(step.usage);
    }
    if (used == 0) continue;
    if (!same || used != steps || steps_.all()) on_rank.each_step.reset();
    by_key_[entry.key].push_back(on_rank);
  }
}

Budget BudgetBuilder::finish() const {
  Budget budget;
  for (const auto& [key, ranks] : by_key_) addRows(budget, key, ranks);
  return budget;
}

void BudgetBuilder::addRows(Budget& budget, const UsageKey& key,
                            const std::vector<OnRank>& ranks) const {
  const bool per_step = std::all_of(
      ranks.begin(), ranks.end(),
      [](const OnRank& on_rank) { return on_rank.each_step.has_value(); });
  // Ranks with equal usage share a row. Rows follow the order of their first
  // rank.
  std::vector<std::pair<Usage, std::vector<std::uint32_t>>> rows;
  for (const OnRank& on_rank : ranks) {
    const Usage& usage = per_step ? *on_rank.each_step : on_rank.total;
    auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& known) {
      return known.first == usage;
    });
    if (row == rows.end()) row = rows.insert(rows.end(), {usage, {}});
    row->second.push_back(on_rank.rank);
  }
  for (const auto& [usage, members] : rows) {
    BudgetRow& row = budget.rows.emplace_back();
    row.steps = steps_;
    row.per_step = per_step;
    row.group = key.group;
    row.op = key.op;
    row.dtype = key.dtype;
    row.count = usage.count;
    row.bytes = usage.bytes;
    if (members.size() == world_size_) continue;
    row.ranks.emplace(members.begin(), members.end());
    row.ranks_text = RankList::fromRanks(members).text(
        std::numeric_limits<std::size_t>::max());
  }
}

}  // namespace traced
