#include "analysis/match/loaded_run.h"

#include <algorithm>
#include <utility>

#include "analysis/clocks/aligned_streams.h"
#include "analysis/reading/stream_reader.h"
#include "analysis/stream/clock_models.h"

namespace traced {

std::uint32_t LoadedRun::groupOf(const Stream& stream,
                                 const v1::Call& call) const {
  const std::uint32_t local = stream.table.groupOf(call);
  return local == StreamDefinitions::kNone ? GroupCatalog::kNone
                                           : stream.group_indices[local];
}

std::optional<std::int64_t> firstIssueNs(const LoadedRun& run) {
  std::optional<std::int64_t> first;
  for (const LoadedRun::Stream& stream : run.streams) {
    for (const AssembledOperation& op : stream.table.operations) {
      const std::int64_t ns = commonNs(stream.clock, op.issued.ns());
      first = std::min(first.value_or(ns), ns);
    }
  }
  return first;
}

LoadedRun loadRun(const TraceSet& set) {
  LoadedRun run;
  AlignedClocks clocks = readAligned(
      set, readingThreads(set),
      [&](std::size_t, StreamTable& table, const v1::ClockModel& clock) {
        LoadedRun::Stream& stream = run.streams.emplace_back();
        stream.table = std::move(table);
        stream.group_indices = run.groups.add(
            stream.table.header.attempt(), stream.table.definitions.groups());
        stream.clock = clock;
        run.summary.add(stream.table);
      });
  run.summary.setClockWarnings(std::move(clocks.warnings));
  return run;
}

}  // namespace traced
