// RankTimeline is the part of a timeline that concerns one rank.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/timeline/slices.h"
#include "analysis/view/job_view.h"

namespace traced {

struct RankTimeline {
  // Sorted by begin, in lanes per group.
  std::vector<OperationSlice> operations;
  // Each kind has its own lanes. Consecutive calls in one module, or in one
  // phase of a step, form a slice from the first call to the last return.
  std::vector<NamedSlice> waits, steps, modules, phases;
  // Number of operations whose times a viewer cannot show.
  std::uint64_t unshowable = 0;
};

// A cell of a view's rows, with the index of its row.
struct ViewedCell {
  std::uint32_t row = 0;
  std::uint32_t operation = 0;
};
// Returns the cells of each stream of the view, in the order of the rows.
std::vector<std::vector<ViewedCell>> cellsByStream(const JobView& view);

// Returns the timeline of one stream. `cells`: its cells, see cellsByStream().
RankTimeline timelineOf(const JobView& view, std::uint32_t stream,
                        const std::vector<ViewedCell>& cells);

}  // namespace traced
