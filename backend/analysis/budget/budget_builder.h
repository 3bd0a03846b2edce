// BudgetBuilder makes the budget that a run just meets.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analysis/budget/budget.h"
#include "analysis/budget/usage.h"

namespace traced {

// The steps to budget where nobody says: all that were marked but the last,
// which has no end of its own; the whole recording where none were marked.
StepRange usualSteps(const Marks& marks);

// Not thread safe. Memory: a few figures per rank and kind of call.
class BudgetBuilder {
 public:
  explicit BudgetBuilder(StepRange steps) : steps_(steps) {}

  void add(const RankUsage& usage);

  // Rows by group, operation, dtype and rank. A row is per step where a call is
  // as frequent in every step, on every rank that makes it; else it has totals.
  Budget finish() const;

 private:
  struct OnRank {
    std::uint32_t rank = 0;
    // What every step had, absent where they differ.
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
