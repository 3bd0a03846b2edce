// What several runs of one program agree on: only that belongs into a budget.

#pragma once

#include <string>
#include <vector>

#include "analysis/budget/budget.h"

namespace traced {

// Leaves in `budget` what `other` has too, and says what it leaves out. Rows of
// calls stay, as not judged: they would be new otherwise.
void keepAgreed(Budget& budget, const Budget& other,
                std::vector<std::string>& left_out);

}  // namespace traced
