// A Budget as TOML, to be edited by hand and compared by diff. Its keys are
// described in docs/reference/cli/check.md.

#pragma once

#include <string>

#include "analysis/budget/budget.h"
#include "base/result.h"

namespace traced {

// An Error is one sentence that begins with `name` and a line.
Result<Budget> parseBudget(const std::string& text, const std::string& name);
Result<Budget> readBudget(const std::string& path);

// What parseBudget() reads as the same budget. All rows must have the same
// steps, as those of a BudgetBuilder do.
std::string budgetText(const Budget& budget);

}  // namespace traced
