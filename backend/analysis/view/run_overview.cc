#include "analysis/view/run_overview.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/clocks/aligned_streams.h"
#include "analysis/clocks/clock_summary.h"
#include "analysis/job/run_filters.h"
#include "analysis/reading/stream_reader.h"
#include "analysis/time_split/certified_times.h"
#include "analysis/time_split/time_split.h"

namespace traced {

RunOverview overviewOf(const TraceSet& set) {
  RunOverview overview;
  const std::size_t threads = readingThreads(set);
  overview.clock_ids = clockIds(set);
  overview.ready_times = ReadyTable(threads);
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
  const auto add = [&](std::size_t i, const StreamTable& table,
                       const v1::ClockModel& clock) {
    const std::vector<std::uint32_t> groups =
        overview.groups.add(table.header.attempt(), table.definitions.groups());
    overview.ready_times.add(OwnReadyTimes(table, groups), clock,
                             overview.clock_ids[i]);
    overview.summary.add(table);
    overview.ranks.push_back({i, table.header.rank(), table.operations.size()});
    if (!table.last.known()) return;
    last_ns = std::max(last_ns, commonNs(clock, table.last.ns()));
  };
  AlignedClocks aligned = readAligned(set, threads, add);
  overview.clocks = std::move(aligned.models);
  overview.first_ns = firstStartNs(set, overview.clocks);
  overview.last_ns = std::max(overview.first_ns, last_ns);
  overview.summary.setClockWarnings(std::move(aligned.warnings));
  return overview;
}

std::vector<std::uint64_t> waitedNs(const TraceSet& set,
                                    const RunOverview& overview) {
  std::vector<std::uint64_t> waited;
  GroupCatalog groups = overview.groups;
  readStreams(set, [&](std::size_t i, StreamTable& table) {
    const ReadyTable::Stream stream(
        table, overview.clocks[i], overview.clock_ids[i],
        groups.add(table.header.attempt(), table.definitions.groups()));
    const ReadyRows ready_times(overview.ready_times, stream);
    std::uint64_t& total = waited.emplace_back();
    for (std::size_t j = 0; j < table.operations.size(); ++j) {
      const OperationSplit split = splitTime(ready_times, j);
      if (split.wait_for_peers) total += notBelowZero(split.wait_for_peers->ns);
    }
  });
  return waited;
}

}  // namespace traced
