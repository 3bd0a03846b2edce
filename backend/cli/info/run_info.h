// RunInfo is what `tracectl info` tells, in text or JSON.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/job/group_catalog.h"
#include "analysis/job/run_summary.h"
#include "analysis/reading/trace_set.h"
#include "analysis/stream/stream_table.h"
#include "cli/common/json.h"
#include "cli/info/own_cost.h"

namespace traced {

struct RunInfo {
  struct Rank {
    // Without its operations, which are only counted.
    StreamTable table;
    // Without simulated ones.
    std::uint64_t operations = 0;
    // Indices into TraceSet::files.
    std::vector<std::uint32_t> files;
    OwnCost own_cost;
  };

  std::vector<Rank> ranks;
  GroupCatalog groups;
  RunSummary summary;
  OwnCost own_cost;
};

// Reads the selected streams one by one.
RunInfo gatherInfo(const TraceSet& set);

// `max_ranks` bounds the lines per rank; the rest is mentioned.
std::string infoText(const std::string& title, const TraceSet& set,
                     const RunInfo& info, std::size_t max_ranks);
Json infoJson(const std::string& title, const TraceSet& set,
              const RunInfo& info);

}  // namespace traced
