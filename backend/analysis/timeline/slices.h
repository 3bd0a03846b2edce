// Slices of a timeline: intervals of common time on tracks.

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "analysis/match/match.h"
#include "analysis/time_split/time_breakdown.h"
#include "analysis/time_split/time_split.h"
#include "analysis/view/operation_span.h"

namespace traced {

// Lanes separates overlapping slices: each is placed in the lowest free lane.
// Viewers draw overlapping slices of one lane as a stack, so they need separate
// lanes.
class Lanes {
 public:
  // Returns the lane of a slice. Slices must be added in order of begin. A
  // slice frees its lane for one that begins as it ends.
  std::uint32_t place(std::int64_t begin_ns, std::int64_t end_ns);
  // Returns the number of lanes.
  std::uint32_t count() const { return count_; }

 private:
  using Busy = std::pair<std::int64_t, std::uint32_t>;  // end and lane

  template <typename T>
  using Lowest = std::priority_queue<T, std::vector<T>, std::greater<T>>;

  Lowest<Busy> busy_;
  Lowest<std::uint32_t> free_;
  std::uint32_t count_ = 0;
};

// Returns the number of lanes that placed slices use.
template <typename Slices>
std::uint32_t lanesOf(const Slices& slices) {
  std::uint32_t lanes = 0;
  for (const auto& slice : slices) lanes = std::max(lanes, slice.lane + 1);
  return lanes;
}

// The end of a slice that has none.
inline constexpr std::int64_t kNeverNs =
    std::numeric_limits<std::int64_t>::max();

// Returns whether viewers can show the instant. A file may contain any time.
constexpr bool isShowable(std::int64_t ns) {
  return 0 <= ns && ns < std::int64_t{1} << 62;
}

// A slice without an operation.
struct NamedSlice {
  std::string name;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t lane = 0;
  // Set for steps.
  std::optional<std::uint64_t> number = std::nullopt;
  // Set for the steps of a rank that ended.
  std::optional<TimeBreakdown> time = std::nullopt;
};

struct OperationSlice {
  MatchCell cell;
  // Index into JobView::matched().rows.
  std::uint32_t row = 0;
  // Catalog index of the group, or GroupCatalog::kNone.
  std::uint32_t group = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  SpanEnd how = SpanEnd::kOpen;
  std::uint32_t lane = 0;
  OperationSplit split;
  // Only if certain: waited for peers from `ready_ns` to `peers_ready_ns`, and
  // transferred from then to the end.
  struct Parts {
    std::int64_t ready_ns = 0;
    std::int64_t peers_ready_ns = 0;
  };
  std::optional<Parts> parts;

  bool open() const { return end_ns == kNeverNs; }
};

// Sorts slices by begin and places them in lanes.
void placeInLanes(std::vector<NamedSlice>& slices);

}  // namespace traced
