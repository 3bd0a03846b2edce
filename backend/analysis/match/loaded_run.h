// LoadedRun holds a whole run in memory, for commands that show single
// operations. Commands that only aggregate read stream by stream instead.

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

  // One per rank, ascending.
  std::vector<Stream> streams;
  GroupCatalog groups;
  RunSummary summary;
  // When the first operation of the run was issued, on the common time line.
  // Absent if it has none.
  std::optional<std::int64_t> first_issue_ns;

  // Returns the group of a call, or GroupCatalog::kNone if unknown.
  std::uint32_t groupOf(const Stream& stream, const v1::Call& call) const;
};

// Called for each stream of a run right after it was added. May remove
// operations from it.
using VisitLoaded =
    std::function<void(const LoadedRun& run, LoadedRun::Stream& stream)>;

// Loads the selected streams of `set`.
LoadedRun loadRun(const TraceSet& set, const VisitLoaded& visit = {});
// Loads some streams of the set, with known clocks. `groups` holds known
// groups, so that labels do not depend on which streams are loaded.
LoadedRun loadRun(const TraceSet& set, const std::vector<std::size_t>& streams,
                  const std::vector<v1::ClockModel>& clocks,
                  GroupCatalog groups);

}  // namespace traced
