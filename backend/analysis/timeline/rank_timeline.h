// RankTimeline is what a timeline shows of one rank.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/timeline/slices.h"
#include "analysis/view/job_view.h"

namespace traced {

struct RankTimeline {
  // By begin, in lanes of their group.
  std::vector<OperationSlice> operations;
  // In lanes of their own each. What the rank called one after the other in one
  // module, or in one phase of a step, is a slice: from the first call to the
  // last return.
  std::vector<NamedSlice> waits, steps, modules, phases;
  // Of operations whose times cannot be.
  std::uint64_t unshowable = 0;
};

// The cells of a view's rows by stream; `row`: index of its row.
struct ViewedCell {
  std::uint32_t row = 0;
  std::uint32_t operation = 0;
};
std::vector<std::vector<ViewedCell>> cellsByStream(const JobView& view);

// `cells`: those of the stream.
RankTimeline timelineOf(const JobView& view, std::uint32_t stream,
                        const std::vector<ViewedCell>& cells);

}  // namespace traced
