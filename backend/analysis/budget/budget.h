// A budget states what a job may communicate. `tracectl check` compares a trace
// with it. Stored as TOML, see cli/check/budget_file.h and
// docs/reference/cli/check.md.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analysis/budget/structure.h"
#include "analysis/budget/usage.h"
#include "analysis/figures/step_range.h"

namespace traced {

// The number of calls and bytes that matching calls may use on each rank,
// either in each step or over all steps of the row.
struct BudgetRow {
  // Line number in the budget file, for messages.
  std::uint32_t line = 0;
  StepRange steps;
  bool per_step = false;
  // An absent field matches everything. Everything that matches is summed.
  std::optional<std::string> group;
  std::optional<std::string> op;
  std::optional<std::string> dtype;
  std::optional<absl::flat_hash_set<std::uint32_t>> ranks;
  // `ranks` as written in the file; "all" if absent.
  std::string ranks_text = "all";
  // A judged row has `count`, `bytes` or both. A row that is not judged has
  // neither: its calls are expected, but their number varies from run to run.
  bool judged = true;
  std::optional<std::uint64_t> count;
  std::optional<std::uint64_t> bytes;
  // Whether usage below the figures also passes, even none at all.
  bool at_most = false;
  double tolerance_percent = 0;

  // Returns whether every field that is set equals that of `key`.
  bool matches(const UsageKey& key) const;
  bool hasRank(std::uint32_t rank) const {
    return !ranks || ranks->contains(rank);
  }
};

struct Budget {
  std::vector<BudgetRow> rows;
  std::vector<StructureRow> structure;

  // Returns the distinct step ranges of `rows`, in order of appearance. Calls
  // outside all of them are not judged.
  std::vector<StepRange> ranges() const;
};

// The values a row accepts for a figure, both ends included.
struct AllowedRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};
// Returns the values accepted for `figure`, the count or bytes of `row`.
AllowedRange allowedFor(const BudgetRow& row, std::uint64_t figure);

}  // namespace traced
