#include <algorithm>
#include <cmath>
#include <tuple>

#include "absl/strings/str_format.h"
#include "cli/compare/compare_output.h"

namespace traced {
namespace {

// Reasons for the worse first, then what follows, then what is better.
int rankOf(const Change& change) {
  switch (change.kind) {
    case ChangeKind::kWorse:
      return change.follows.empty() ? 0 : 1;
    case ChangeKind::kOther:
      return 2;
    case ChangeKind::kBetter:
      return 3;
    case ChangeKind::kOpen:
      return 4;
    case ChangeKind::kNone:
      break;
  }
  return 5;
}

// By how much a step became longer, as a part of it.
double cost(const Change& change) {
  return change.share * (std::exp(change.log_ratio.estimate) - 1);
}

}  // namespace

std::vector<CompareRow> compareRows(const Comparison& comparison) {
  std::vector<CompareRow> rows;
  for (const ComparedKey& key : comparison.keys) {
    for (const Change& change : key.changes) rows.push_back({&key, &change});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const CompareRow& a, const CompareRow& b) {
                     const auto order = [](const CompareRow& row) {
                       const bool counts = isCount(row.change->part);
                       return std::tuple(rankOf(*row.change), !counts,
                                         -std::abs(cost(*row.change)));
                     };
                     return order(a) < order(b);
                   });
  return rows;
}

std::string ratioCell(double ratio) {
  const double percent = 100 * (ratio - 1);
  // What differs is not shown as equal.
  const bool shows_none = std::abs(percent) < 0.05 && percent != 0;
  return shows_none ? absl::StrFormat("%+.1g %%", percent)
                    : absl::StrFormat("%+.1f %%", percent);
}

const char* kindCell(ChangeKind kind, bool follows) {
  switch (kind) {
    case ChangeKind::kWorse:
      return follows ? "worse, follows" : "WORSE";
    case ChangeKind::kBetter:
      return "better";
    case ChangeKind::kOther:
      return "changed";
    case ChangeKind::kOpen:
      return "open";
    case ChangeKind::kNone:
      break;
  }
  return "";
}

}  // namespace traced
