// RunInfo holds the data that `tracectl info` prints.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/job/group_catalog.h"
#include "analysis/job/run_summary.h"
#include "analysis/reading/trace_set.h"
#include "analysis/stream/stream_table.h"
#include "cli/common/json.h"

namespace traced {

// The cost of recording, from samples that the recorder took of itself
// (docs/reference/json.md, "info").
struct OwnCost {
  std::uint64_t samples = 0;
  std::uint64_t sampled_ns = 0;  // the sum over the samples
  // Sums over the ranks that have samples. `total_ns` is the operation count
  // times the rank's mean cost. `run_ns` is how long those ranks ran.
  std::uint64_t operations = 0;
  double total_ns = 0;
  std::uint64_t run_ns = 0;

  void add(const OwnCost& other);
  bool known() const { return samples > 0 && operations > 0; }
  double perOperationNs() const {
    return total_ns / static_cast<double>(operations);
  }
  // Returns the cost as a fraction of rank time; 0 if rank time is unknown.
  double shareOfRun() const {
    return run_ns == 0 ? 0 : total_ns / static_cast<double>(run_ns);
  }
};

// Returns the cost of one rank with this many operations.
OwnCost ownCostOf(const StreamTable& rank, std::uint64_t operations);

struct RunInfo {
  struct Rank {
    // Its operations are counted and then removed.
    StreamTable table;
    // Excludes simulated operations.
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

// Returns the text. Ranks beyond `max_ranks` are only counted.
std::string infoText(const std::string& title, const TraceSet& set,
                     const RunInfo& info, std::size_t max_ranks);
Json infoJson(const std::string& title, const TraceSet& set,
              const RunInfo& info);

}  // namespace traced
