// RunReadyTimes holds what is needed before operations can be split: clocks,
// groups and ready times.

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
  // One per stream of the set, in the same order.
  AlignedClocks clocks;
  std::vector<std::uint32_t> clock_ids;
  // Catalog indices of each stream's groups. Filled for selected streams.
  std::vector<std::vector<std::uint32_t>> groups_of;
  GroupCatalog groups;
  ReadyTable ready_times;
  // Ranks of the selected streams, ascending.
  std::vector<std::uint32_t> ranks;
  // Whether any selected stream has marked steps.
  bool by_step = false;
  // The time in which ranks were ready for operations, or, if none was, the
  // time in which any rank recorded.
  PictureSpan span;
};

// Reads the selected streams, as often as clock alignment needs. `also` may
// keep further data of each stream.
RunReadyTimes readReadyTimes(const TraceSet& set,
                             const KeepOfStream& also = {});

}  // namespace traced
