// RunOverview is what is known of all of a run before some of it is chosen to
// be shown.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/clocks/align_clocks.h"
#include "analysis/job/group_catalog.h"
#include "analysis/job/run_summary.h"
#include "analysis/reading/trace_set.h"
#include "analysis/time_split/ready_table.h"

namespace traced {

struct RunOverview {
  struct Rank {
    // Index into TraceSet::streams.
    std::size_t stream = 0;
    std::uint32_t rank = 0;
    std::uint64_t operations = 0;
  };

  // Of all streams of the set, in their order.
  std::vector<v1::ClockModel> clocks;
  std::vector<std::uint32_t> clock_ids;
  GroupCatalog groups;
  RunSummary summary;
  ReadyTable ready_times;
  // The selected ones, by rank.
  std::vector<Rank> ranks;
  // When the first of them began to record, and the last instant that one of
  // them tells of, on the common time line.
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
};

// Reads the selected streams, large ones twice: to align their clocks, too.
RunOverview overviewOf(const TraceSet& set);

// How long each of them waited for others, as far as that is known, in their
// order: who waits least is waited for. Reads them once more.
std::vector<std::uint64_t> waitedNs(const TraceSet& set,
                                    const RunOverview& overview);

}  // namespace traced
