// Reads and writes a Budget as TOML, which people edit by hand and compare by
// diff. docs/reference/cli/check.md describes its keys.

#pragma once

#include <string>

#include "analysis/budget/budget.h"
#include "base/result.h"

namespace traced {

// Parses a budget. An Error is one sentence that begins with `name` and a line.
Result<Budget> parseBudget(const std::string& text, const std::string& name);
// Parses the file at `path`, which must be a regular file of at most 16 MiB.
Result<Budget> readBudget(const std::string& path);

// Returns TOML that parseBudget() reads as the same budget. All rows must have
// the same steps, as the rows of a BudgetBuilder do.
std::string budgetText(const Budget& budget);

}  // namespace traced
