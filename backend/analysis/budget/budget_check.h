// BudgetCheck holds what ranks used against a budget.

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

// How a figure of a row was met: in every step of every rank that the row
// holds for, or with totals on every rank.
struct FigureResult {
  std::uint64_t budget = 0;
  Verdict verdict = Verdict::kOk;
  // How many times it was measured, and how many of these were off.
  std::uint64_t measured = 0;
  std::uint64_t off = 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
  // The first one that was off.
  struct FirstMiss {
    std::uint32_t rank = 0;
    std::optional<std::uint64_t> step;
  };
  std::optional<FirstMiss> first_off;
};

struct RowResult {
  // Absent where the row says nothing of it.
  std::optional<FigureResult> count;
  std::optional<FigureResult> bytes;

  Verdict verdict() const;
};

// Something that no row of the budget knows.
struct NewUsage {
  UsageKey key;
  StepRange steps;
  std::vector<std::uint32_t> ranks;
  // The most of one step of a rank, or of one rank where `steps` are all.
  Usage most;
};

struct BudgetResult {
  // One per row of the budget.
  std::vector<RowResult> rows;
  // By key, then steps.
  std::vector<NewUsage> fresh;
  // Calls in the steps that the budget is about, and outside of them.
  std::uint64_t judged = 0;
  std::uint64_t outside = 0;

  std::uint64_t rowsOff() const;
  bool met() const { return rowsOff() == 0 && fresh.empty(); }
};

// Not thread safe. The budget must outlive the check. Memory: that of the rows
// and of what is new; ranks are looked at one by one.
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
  // By key and index into ranges_.
  std::map<std::pair<UsageKey, std::size_t>, NewUsage> fresh_;
};

}  // namespace traced
