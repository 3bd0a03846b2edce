#include "analysis/figures/trend.h"

#include <algorithm>
#include <limits>

namespace traced {
namespace {

constexpr std::uint64_t kFewest = 10;
constexpr std::size_t kFewestWindows = 3;

// What the windows on one side say.
struct Side {
  Histogram all;
  std::size_t windows = 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;

  void add(const Histogram& window) {
    if (window.count() < kFewest) return;
    const std::uint64_t median = window.percentile(50);
    all.add(window);
    ++windows;
    least = std::min(least, median);
    most = std::max(most, median);
  }
};

}  // namespace

std::optional<Trend::Change> Trend::degraded() const {
  for (std::size_t since = 1; since < kWindows; ++since) {
    if (windows_[since].count() < kFewest) continue;
    Side before, after;
    for (std::size_t i = 0; i < kWindows; ++i) {
      (i < since ? before : after).add(windows_[i]);
    }
    if (before.windows < kFewestWindows || after.windows < kFewestWindows) {
      continue;
    }
    if (after.least >= before.most + before.most / 4 && before.most > 0) {
      return Change{since, before.all.percentile(50), after.all.percentile(50)};
    }
  }
  return std::nullopt;
}

}  // namespace traced
