// What a timeline shows: stretches of time on tracks, on the common time line.

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
#include "analysis/time_split/time_split.h"
#include "analysis/view/operation_span.h"

namespace traced {

// Lanes keeps slices that overlap apart: each goes to the lowest lane that is
// free. Viewers show slices of one lane as a stack, and have no other way to
// show two at a time.
class Lanes {
 public:
  // Slices come in the order in which they begin. One that ends as the next
  // begins has left its lane.
  std::uint32_t place(std::int64_t begin_ns, std::int64_t end_ns);
  // How many there are.
  std::uint32_t count() const { return count_; }

 private:
  using Busy = std::pair<std::int64_t, std::uint32_t>;  // until when, and which

  template <typename T>
  using Lowest = std::priority_queue<T, std::vector<T>, std::greater<T>>;

  Lowest<Busy> busy_;
  Lowest<std::uint32_t> free_;
  std::uint32_t count_ = 0;
};

// Of slices that were placed.
template <typename Slices>
std::uint32_t lanesOf(const Slices& slices) {
  std::uint32_t lanes = 0;
  for (const auto& slice : slices) lanes = std::max(lanes, slice.lane + 1);
  return lanes;
}

// Of a slice without an end.
inline constexpr std::int64_t kNeverNs =
    std::numeric_limits<std::int64_t>::max();

// Whether a viewer can show it: a file may claim any time.
constexpr bool isShowable(std::int64_t ns) {
  return 0 <= ns && ns < std::int64_t{1} << 62;
}

// Something that has a name and no more.
struct NamedSlice {
  std::string name;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t lane = 0;
  // Of a step.
  std::optional<std::uint64_t> number = std::nullopt;
};

struct OperationSlice {
  MatchCell cell;
  // Index into JobView::matched().rows.
  std::uint32_t row = 0;
  // Of the group, in the catalog of the run; GroupCatalog::kNone.
  std::uint32_t group = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  SpanEnd how = SpanEnd::kOpen;
  std::uint32_t lane = 0;
  OperationSplit split;
  // Where that is certain: it waited for peers from the first to the second,
  // and transferred from there to its end.
  struct Parts {
    std::int64_t ready_ns = 0;
    std::int64_t peers_ready_ns = 0;
  };
  std::optional<Parts> parts;

  bool open() const { return end_ns == kNeverNs; }
};

// By lanes, in the order in which they begin.
void placeInLanes(std::vector<NamedSlice>& slices);

}  // namespace traced
