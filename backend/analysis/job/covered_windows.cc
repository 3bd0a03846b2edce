#include "analysis/job/covered_windows.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace traced {

CoveredWindows::CoveredWindows(const std::vector<TimeWindow>& windows)
    : windows_(&windows), before_ns_{0} {
  for (const TimeWindow& window : windows) {
    before_ns_.push_back(wrappingSum(
        before_ns_.back(), static_cast<std::int64_t>(lengthOf(window))));
  }
}

TimeWindow CoveredWindows::span() const {
  if (windows_->empty()) return {};
  return {windows_->front().begin_ns, windows_->back().end_ns};
}

std::int64_t CoveredWindows::until(std::int64_t ns) const {
  const auto after = std::partition_point(
      windows_->begin(), windows_->end(),
      [ns](const TimeWindow& window) { return window.begin_ns < ns; });
  if (after == windows_->begin()) return 0;
  const auto last = std::prev(after);
  const TimeWindow part{last->begin_ns, std::min(last->end_ns, ns)};
  return wrappingSum(
      before_ns_[static_cast<std::size_t>(last - windows_->begin())],
      static_cast<std::int64_t>(lengthOf(part)));
}

}  // namespace traced
