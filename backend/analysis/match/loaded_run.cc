#include "analysis/match/loaded_run.h"

#include <algorithm>
#include <utility>

#include "analysis/clocks/aligned_streams.h"
#include "analysis/reading/stream_reader.h"
#include "analysis/stream/clock_models.h"

namespace traced {
namespace {

void noteFirstIssue(LoadedRun& run, const LoadedRun::Stream& stream) {
  for (const AssembledOperation& op : stream.table.operations) {
    const std::int64_t ns = commonNs(stream.clock, op.issued.ns());
    run.first_issue_ns = std::min(run.first_issue_ns.value_or(ns), ns);
  }
}

LoadedRun::Stream& addStream(LoadedRun& run, StreamTable& table,
                             const v1::ClockModel& clock) {
  LoadedRun::Stream& stream = run.streams.emplace_back();
  stream.table = std::move(table);
  stream.group_indices = run.groups.add(stream.table.header.attempt(),
                                        stream.table.definitions.groups());
  stream.clock = clock;
  run.summary.add(stream.table);
  noteFirstIssue(run, stream);
  return stream;
}

}  // namespace

std::uint32_t LoadedRun::groupOf(const Stream& stream,
                                 const v1::Call& call) const {
  const std::uint32_t local = stream.table.groupOf(call);
  return local == StreamDefinitions::kNone ? GroupCatalog::kNone
                                           : stream.group_indices[local];
}

LoadedRun loadRun(const TraceSet& set, const std::vector<std::size_t>& streams,
                  const std::vector<v1::ClockModel>& clocks,
                  GroupCatalog groups) {
  LoadedRun run;
  run.groups = std::move(groups);
  readStreams(set, streams, readingThreads(set),
              [&](std::size_t i, StreamTable& table) {
                addStream(run, table, clocks[i]);
              });
  return run;
}

LoadedRun loadRun(const TraceSet& set, const VisitLoaded& visit) {
  LoadedRun run;
  AlignedClocks clocks = readAligned(
      set, readingThreads(set),
      [&](std::size_t, StreamTable& table, const v1::ClockModel& clock) {
        LoadedRun::Stream& stream = addStream(run, table, clock);
        if (visit) visit(run, stream);
      });
  run.summary.setClockWarnings(std::move(clocks.warnings));
  return run;
}

}  // namespace traced
