#include "analysis/job/time_windows.h"

#include <algorithm>
#include <utility>

namespace traced {

std::uint64_t lengthOf(const TimeWindow& window) {
  return static_cast<std::uint64_t>(window.end_ns) -
         static_cast<std::uint64_t>(window.begin_ns);
}

TimeWindow operationSpan(const StreamTable& table) {
  if (!between(table.first_operation, table.last_operation)) return {};
  return {table.first_operation.ns(), table.last_operation.ns()};
}

TimeWindow windowBetween(Instant begin, Instant end) {
  return between(begin, end) ? TimeWindow{begin.ns(), end.ns()} : TimeWindow{};
}

TimeWindow cutTo(const TimeWindow& span, Instant begin, Instant end) {
  if (!between(begin, end)) return {};
  const TimeWindow cut{std::max(begin.ns(), span.begin_ns),
                       std::min(end.ns(), span.end_ns)};
  return cut.begin_ns < cut.end_ns ? cut : TimeWindow{};
}

void unite(std::vector<TimeWindow>& windows) {
  std::sort(windows.begin(), windows.end(),
            [](const TimeWindow& a, const TimeWindow& b) {
              return a.begin_ns < b.begin_ns;
            });
  std::size_t kept = 0;
  for (const TimeWindow& window : windows) {
    if (kept > 0 && window.begin_ns <= windows[kept - 1].end_ns) {
      std::int64_t& end_ns = windows[kept - 1].end_ns;
      end_ns = std::max(end_ns, window.end_ns);
    } else {
      windows[kept++] = window;
    }
  }
  windows.resize(kept);
}

void CoveredTime::add(const TimeWindow& window) {
  if (window.begin_ns >= window.end_ns) return;
  if (!windows_.empty()) {
    TimeWindow& last = windows_.back();
    if (last.begin_ns <= window.begin_ns && window.begin_ns <= last.end_ns) {
      last.end_ns = std::max(last.end_ns, window.end_ns);
      return;
    }
  }
  windows_.push_back(window);
}

std::uint64_t CoveredTime::ns() && {
  unite(windows_);
  std::uint64_t sum = 0;
  for (const TimeWindow& window : windows_) sum += lengthOf(window);
  return sum;
}

std::vector<TimeWindow> CoveredTime::windows() && {
  unite(windows_);
  return std::move(windows_);
}

}  // namespace traced
