// What several runs of one program agree on: only that belongs into a budget.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/budget/budget.h"

namespace traced {

// What runs differ in.
struct Disagreement {
  enum class What : std::uint8_t {
    // Some runs lack it.
    kCall,
    kStructure,
    // A figure is not equal.
    kCount,
    kBytes,
    kGroups,
    kOrder,
    kTogether,
    kWaitedAtOnce,
  };

  What what = What::kCall;
  // Of the row. Operation and dtype are only of a row of calls.
  std::optional<std::string> group, op, dtype;
  std::string ranks_text;
};

// Leaves in `budget` what `other` has too, and tells what it leaves out. Rows
// of calls stay, as not judged: they would be new otherwise.
void keepAgreed(Budget& budget, const Budget& other,
                std::vector<Disagreement>& left_out);

}  // namespace traced
