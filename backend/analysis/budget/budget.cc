#include "analysis/budget/budget.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace traced {
namespace {

bool fits(const std::optional<std::string>& wanted, const std::string& name) {
  return !wanted || *wanted == name;
}

}  // namespace

bool BudgetRow::matches(const UsageKey& key) const {
  return fits(group, key.group) && fits(op, key.op) && fits(dtype, key.dtype);
}

std::vector<StepRange> Budget::ranges() const {
  std::vector<StepRange> ranges;
  for (const BudgetRow& row : rows) {
    if (std::find(ranges.begin(), ranges.end(), row.steps) == ranges.end()) {
      ranges.push_back(row.steps);
    }
  }
  return ranges;
}

AllowedRange allowedFor(const BudgetRow& row, std::uint64_t figure) {
  AllowedRange allowed{figure, figure};
  if (row.tolerance_percent > 0) {
    // A 64-bit mantissa holds every figure exactly.
    const long double slack =
        static_cast<long double>(figure) * row.tolerance_percent / 100;
    constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
    const bool beyond = slack >= static_cast<long double>(kMax - figure);
    const auto whole =
        beyond ? kMax : static_cast<std::uint64_t>(std::floor(slack));
    allowed.high = beyond ? kMax : figure + whole;
    allowed.low = whole >= figure ? 0 : figure - whole;
  }
  if (row.at_most) allowed.low = 0;
  return allowed;
}

}  // namespace traced
