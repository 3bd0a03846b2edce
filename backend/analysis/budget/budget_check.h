// BudgetCheck compares the usage of each rank with a budget.

#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/budget/budget.h"
#include "analysis/budget/usage.h"

namespace traced {

enum class Verdict { kOk, kOver, kUnder, kMissing };

// The outcome for one figure of a row, over all steps of all its ranks, or over
// the ranks if the row has totals.
struct FigureResult {
  std::uint64_t budget = 0;
  Verdict verdict = Verdict::kOk;
  // Number of measurements, and how many of them missed the budget.
  std::uint64_t measured = 0;
  std::uint64_t off = 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
  // The first measurement that missed the budget.
  struct FirstMiss {
    std::uint32_t rank = 0;
    std::optional<std::uint64_t> step;
  };
  std::optional<FirstMiss> first_off;
};

struct RowResult {
  // Absent if the row does not limit this figure.
  std::optional<FigureResult> count;
  std::optional<FigureResult> bytes;

  // Returns kOver if either figure is over the budget, else the verdict of the
  // bytes unless that is kOk, else that of the count.
  Verdict verdict() const;
};

// Usage that no row of the budget matches.
struct NewUsage {
  UsageKey key;
  StepRange steps;
  std::vector<std::uint32_t> ranks;
  // The largest usage in one step of a rank, or in one rank if `steps` covers
  // the whole recording.
  Usage most;
};

struct BudgetResult {
  // One per row of the budget, in the same order.
  std::vector<RowResult> rows;
  // Sorted by key, then by steps.
  std::vector<NewUsage> fresh;
  // Number of calls inside and outside the steps of the budget.
  std::uint64_t judged = 0;
  std::uint64_t outside = 0;

  // Returns how many rows missed the budget.
  std::uint64_t rowsOff() const;
  bool met() const { return rowsOff() == 0 && fresh.empty(); }
};

// Not thread safe. The budget must outlive the check. Call add() once per rank.
// Memory grows with the rows and the new usage, not with the ranks.
class BudgetCheck {
 public:
  explicit BudgetCheck(const Budget& budget);

  void add(const RankUsage& usage);
  BudgetResult finish() &&;

 private:
  void measure(const BudgetRow& row, RowResult& result, const RankUsage& usage);
  void findNew(const RankUsage::Entry& entry, const RankUsage& usage);

  const Budget& budget_;
  const std::vector<StepRange> ranges_;
  BudgetResult result_;
  // By key and index into `ranges_`.
  std::map<std::pair<UsageKey, std::size_t>, NewUsage> fresh_;
};

}  // namespace traced
