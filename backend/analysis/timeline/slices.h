// What a timeline shows: stretches of time on tracks, on the common time line.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analysis/match/match.h"
#include "analysis/time_split/time_split.h"
#include "analysis/view/operation_span.h"

namespace traced {

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
