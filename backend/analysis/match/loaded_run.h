// LoadedRun is all of a run in memory, for commands that show single
// operations. What only adds up reads stream by stream instead.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/job/group_catalog.h"
#include "analysis/job/run_summary.h"
#include "analysis/reading/trace_set.h"
#include "analysis/stream/stream_table.h"
#include "traced/v1/clock.pb.h"

namespace traced {

struct LoadedRun {
  struct Stream {
    StreamTable table;
    // Index into `groups`, per group of the stream.
    std::vector<std::uint32_t> group_indices;
    v1::ClockModel clock;
  };

  // One per rank, by rank.
  std::vector<Stream> streams;
  GroupCatalog groups;
  RunSummary summary;
  // When the first operation of all was issued, on the common time line; absent
  // without any.
  std::optional<std::int64_t> first_issue_ns;

  // The group of a call, GroupCatalog::kNone when it is not known.
  std::uint32_t groupOf(const Stream& stream, const v1::Call& call) const;
};

// Is shown each stream of a run as it was added, and may take operations from
// it.
using VisitLoaded =
    std::function<void(const LoadedRun& run, LoadedRun::Stream& stream)>;

// Loads the selected streams.
LoadedRun loadRun(const TraceSet& set, const VisitLoaded& visit = {});
// Loads some streams of the set, on clocks that are known. `groups`: those that
// are known already, so that labels are the same whatever is loaded.
LoadedRun loadRun(const TraceSet& set, const std::vector<std::size_t>& streams,
                  const std::vector<v1::ClockModel>& clocks,
                  GroupCatalog groups);

}  // namespace traced
