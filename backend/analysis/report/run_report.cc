#include "analysis/report/run_report.h"

#include <utility>

#include "analysis/clocks/clock_summary.h"
#include "analysis/job/ready_times.h"
#include "analysis/reading/stream_reader.h"
#include "analysis/report/report_builder.h"

namespace traced {
namespace {

// Shows each selected stream, as the arrivals need it, in the order of ranks.
// Returns their groups.
template <typename Visit>
GroupCatalog forEachStream(const TraceSet& set, const AlignedClocks& clocks,
                           Visit visit) {
  const std::vector<std::uint32_t> clock_ids = clockIds(set);
  GroupCatalog groups;
  readStreams(set, [&](std::size_t i, StreamTable& table) {
    const std::vector<std::uint32_t> indices =
        groups.add(table.header.attempt(), table.definitions.groups());
    ArrivalTable::Stream stream{table, clocks.models[i], clock_ids[i],
                                MatchedCalls(table, indices),
                                readyTimes(table)};
    visit(table, stream);
  });
  return groups;
}

}  // namespace

Report buildReport(const TraceSet& set, std::vector<ReportKey> by,
                   ReportedScope scope, const RunWindow& window, bool fold) {
  AlignedClocks clocks = alignClocks(set);
  ArrivalTable arrivals;
  const GroupRoles roles(forEachStream(
      set, clocks, [&](const StreamTable&, const ArrivalTable::Stream& stream) {
        arrivals.add(stream);
      }));
  const ReportBuilder::Peers peers{arrivals, summarizeClocks(set, clocks)};
  const NodeIndex nodes(set);
  const ReportBuilder::Scope wanted{scope, nodes};
  ReportBuilder builder(std::move(by), &peers, &wanted,
                        fold ? &roles : nullptr);
  const std::int64_t first_ns = firstStartNs(set, clocks.models);
  std::uint64_t outside = 0;
  forEachStream(
      set, clocks, [&](StreamTable& table, ArrivalTable::Stream& stream) {
        if (!window.all()) {
          const WindowFilter filter(window, table, stream.clock, first_ns);
          outside += cutTo(filter, table, &stream.ready);
        }
        builder.add(stream);
      });
  Report report = std::move(builder).finish();
  report.window = window;
  report.out_of_window = outside;
  report.summary.setClockWarnings(std::move(clocks.warnings));
  return report;
}

}  // namespace traced
