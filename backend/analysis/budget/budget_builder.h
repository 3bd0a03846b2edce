// BudgetBuilder derives the budget that a run exactly meets.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analysis/budget/budget.h"
#include "analysis/budget/usage.h"

namespace traced {

// Returns the default steps for a budget: all marked steps except the last,
// whose end was not recorded. Returns the whole recording if no steps were
// marked or their numbers decrease.
StepRange usualSteps(const Marks& marks);

// Not thread safe. Memory: a few figures per rank and kind of call.
class BudgetBuilder {
 public:
  explicit BudgetBuilder(StepRange steps) : steps_(steps) {}

  // Call once per rank.
  void add(const RankUsage& usage);

  // Returns rows by group, operation, dtype and ranks. A row is per step if, on
  // every rank that makes the call, each step has the same figures. Otherwise
  // it has totals.
  Budget finish() const;

 private:
  struct OnRank {
    std::uint32_t rank = 0;
    // The usage of every step, absent if steps differ.
    std::optional<Usage> each_step;
    Usage total;
  };

  void addRows(Budget& budget, const UsageKey& key,
               const std::vector<OnRank>& ranks) const;

  const StepRange steps_;
  std::size_t world_size_ = 0;
  std::map<UsageKey, std::vector<OnRank>> by_key_;
};

}  // namespace traced
