// RunOverview holds what is known of a whole run before a part of it is chosen.

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

  // One per stream of the set, in the same order.
  std::vector<v1::ClockModel> clocks;
  std::vector<std::uint32_t> clock_ids;
  GroupCatalog groups;
  RunSummary summary;
  ReadyTable ready_times;
  // The selected streams, by rank.
  std::vector<Rank> ranks;
  // When the first rank began to record, and the last instant of any rank, in
  // common time.
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
};

// Reads the selected streams, twice if they are large: clock alignment needs
// another pass.
RunOverview overviewOf(const TraceSet& set);

// Returns how long each selected rank waited for others, as far as known. The
// rank that waits least is the one others wait for. Reads the streams again.
std::vector<std::uint64_t> waitedNs(const TraceSet& set,
                                    const RunOverview& overview);

}  // namespace traced
