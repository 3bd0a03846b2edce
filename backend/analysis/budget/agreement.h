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
  // These identify the row. Only rows of calls have an operation and a dtype.
  std::optional<std::string> group, op, dtype;
  std::string ranks_text;
};

// Removes from `budget` what `other` does not agree with, and adds each removed
// part to `left_out`. Rows of calls stay, marked as not judged: otherwise the
// next run would report them as new.
void keepAgreed(Budget& budget, const Budget& other,
                std::vector<Disagreement>& left_out);

}  // namespace traced
