#include "cli/common/nearest.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"

namespace traced {
namespace {

// Longer ones are nobody's slip of the pen.
constexpr std::size_t kMostLetters = 64;

std::size_t changesBetween(const std::string& a, const std::string& b) {
  // The three last rows of the usual table: what takes the first i letters of
  // `a` to the first j of `b`.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min(
          {above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0U : 1U)});
      const bool swapped =
          i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

}  // namespace

std::optional<std::string> nearestName(const std::string& name,
                                       const std::vector<std::string>& names) {
  if (name.size() > kMostLetters) return std::nullopt;
  std::optional<std::string> nearest;
  std::size_t fewest = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : names) {
    const std::size_t changes = changesBetween(name, candidate);
    if (changes >= fewest) continue;
    fewest = changes;
    nearest = candidate;
  }
  return nearest;
}

std::string didYouMean(const std::string& name,
                       const std::vector<std::string>& names) {
  const auto nearest = nearestName(name, names);
  return nearest ? absl::StrCat(", did you mean ", *nearest, "?") : "";
}

}  // namespace traced
