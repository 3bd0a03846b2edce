// Finds what several runs of one program agree on. Only that belongs in a
// budget.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/budget/budget.h"

namespace traced {

// A part of a budget in which two runs differ.
struct Disagreement {
  enum class What : std::uint8_t {
    // Only some of the runs have this row.
    kCall,
    kStructure,
    // A number in the row differs. The other values name which one.
    kCount,
    kBytes,
    kGroups,
    kOrder,
    kTogether,
    kWaitedAtOnce,
  };

  What what = What::kCall;
  // Identify the row. Only rows of calls have an operation and a dtype.
  std::optional<std::string> group, op, dtype;
  std::string ranks_text;
};

// Removes from `budget` whatever differs in `other` and appends each removed
// part to `left_out`. Rows of calls stay but are marked as not judged:
// otherwise `check` would report these calls of the next run as new.
void keepAgreed(Budget& budget, const Budget& other,
                std::vector<Disagreement>& left_out);

}  // namespace traced
