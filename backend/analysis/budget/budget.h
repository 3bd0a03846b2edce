// Budget says what a job may communicate: what `tracectl check` holds a trace
// against. Written and read as TOML, see cli/check/budget_file.h and
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

// What one row allows: so many calls and bytes, in each step or over all its
// steps, on each of its ranks.
struct BudgetRow {
  // Of the file, for messages.
  std::uint32_t line = 0;
  StepRange steps;
  bool per_step = false;
  // An absent one matches everything, and what it matches is added up.
  std::optional<std::string> group;
  std::optional<std::string> op;
  std::optional<std::string> dtype;
  std::optional<absl::flat_hash_set<std::uint32_t>> ranks;
  // The ranks as they were written; "all" without.
  std::string ranks_text = "all";
  // At least one of the two, unless nothing of it is judged: it is known, and
  // varies by itself.
  bool judged = true;
  std::optional<std::uint64_t> count;
  std::optional<std::uint64_t> bytes;
  // Less is fine as well, also nothing at all.
  bool at_most = false;
  double tolerance_percent = 0;

  bool matches(const UsageKey& key) const;
  bool hasRank(std::uint32_t rank) const {
    return !ranks || ranks->contains(rank);
  }
};

struct Budget {
  std::vector<BudgetRow> rows;
  std::vector<StructureRow> structure;

  // The different ranges of steps of its rows of figures, in their order. What
  // was issued outside all of them is not judged.
  std::vector<StepRange> ranges() const;
};

// The values that a row accepts for a figure.
struct AllowedRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};
AllowedRange allowedFor(const BudgetRow& row, std::uint64_t figure);

}  // namespace traced
