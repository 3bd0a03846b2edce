// RunReadyTimes is what is known of a run before its operations are split:
// clocks, groups, and when ranks arrived.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/clocks/align_clocks.h"
#include "analysis/clocks/aligned_streams.h"
#include "analysis/job/group_catalog.h"
#include "analysis/pictures/picture_builder.h"
#include "analysis/reading/trace_set.h"
#include "analysis/time_split/ready_table.h"

namespace traced {

struct RunReadyTimes {
  // Of all streams of the set, in their order.
  AlignedClocks clocks;
  std::vector<std::uint32_t> clock_ids;
  // Of the selected ones: indices of their groups.
  std::vector<std::vector<std::uint32_t>> groups_of;
  GroupCatalog groups;
  ReadyTable ready_times;
  // Of the selected streams, ascending.
  std::vector<std::uint32_t> ranks;
  // Whether any of them marked steps.
  bool by_step = false;
  // In which ranks arrived; where none did, in which any of them recorded.
  PictureSpan span;
};

// Reads the selected streams, as often as aligning their clocks takes. `also`:
// for who keeps more of them than this.
RunReadyTimes readReadyTimes(const TraceSet& set,
                             const KeepOfStream& also = {});

}  // namespace traced
