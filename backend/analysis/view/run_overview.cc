#include "analysis/view/run_overview.h"

#include <algorithm>
#include <utility>

#include "analysis/clocks/clock_summary.h"
#include "analysis/job/matched_calls.h"
#include "analysis/job/ready_times.h"
#include "analysis/job/run_window.h"
#include "analysis/reading/stream_reader.h"
#include "analysis/time_split/certified_times.h"
#include "analysis/time_split/time_split.h"

namespace traced {
namespace {

ArrivalTable::Stream arrivingStream(const RunOverview& overview, std::size_t i,
                                    const StreamTable& table,
                                    GroupCatalog& groups) {
  const std::vector<std::uint32_t> indices =
      groups.add(table.header.attempt(), table.definitions.groups());
  return {table, ClockCursor(overview.clocks[i]), overview.clock_ids[i],
          MatchedCalls(table, indices), readyTimes(table)};
}

}  // namespace

RunOverview overviewOf(const TraceSet& set) {
  RunOverview overview;
  AlignedClocks aligned = alignClocks(set);
  overview.clocks = std::move(aligned.models);
  overview.clock_ids = clockIds(set);
  overview.first_ns = firstStartNs(set, overview.clocks);
  overview.last_ns = overview.first_ns;
  readStreams(set, [&](std::size_t i, StreamTable& table) {
    overview.arrivals.add(arrivingStream(overview, i, table, overview.groups));
    overview.summary.add(table);
    overview.ranks.push_back({i, table.header.rank(), table.operations.size()});
    if (!table.last.known()) return;
    overview.last_ns = std::max(overview.last_ns,
                                commonNs(overview.clocks[i], table.last.ns()));
  });
  overview.summary.setClockWarnings(std::move(aligned.warnings));
  return overview;
}

std::vector<std::uint64_t> waitedNs(const TraceSet& set,
                                    const RunOverview& overview) {
  std::vector<std::uint64_t> waited;
  GroupCatalog groups = overview.groups;
  readStreams(set, [&](std::size_t i, StreamTable& table) {
    const auto stream = arrivingStream(overview, i, table, groups);
    std::uint64_t& total = waited.emplace_back();
    for (std::size_t j = 0; j < table.operations.size(); ++j) {
      const OperationSplit split = splitTime(overview.arrivals, stream, j);
      if (split.wait_for_peers) total += notBelowZero(split.wait_for_peers->ns);
    }
  });
  return waited;
}

}  // namespace traced
