#include "analysis/report/run_report.h"

#include <utility>

#include "analysis/clocks/aligned_streams.h"
#include "analysis/clocks/clock_summary.h"
#include "analysis/job/ready_times.h"
#include "analysis/reading/stream_reader.h"
#include "analysis/report/report_builder.h"

namespace traced {
namespace {

// What the arrivals need of streams, which come in the order of ranks.
class ArrivalStreams {
 public:
  explicit ArrivalStreams(const TraceSet& set) : clock_ids_(clockIds(set)) {}

  ArrivalTable::Stream of(std::size_t stream, const StreamTable& table,
                          const v1::ClockModel& clock) {
    const std::vector<std::uint32_t> indices =
        groups_.add(table.header.attempt(), table.definitions.groups());
    return {table, ClockCursor(clock), clock_ids_[stream],
            MatchedCalls(table, indices), readyTimes(table)};
  }

  const GroupCatalog& groups() const { return groups_; }

 private:
  const std::vector<std::uint32_t> clock_ids_;
  GroupCatalog groups_;
};

}  // namespace

Report buildReport(const TraceSet& set, std::vector<ReportKey> by,
                   ReportedScope scope, const RunWindow& window, bool fold) {
  ArrivalTable arrivals;
  ArrivalStreams arriving(set);
  AlignedClocks clocks =
      readAligned(set, readingThreads(set),
                  [&](std::size_t i, const StreamTable& table,
                      const v1::ClockModel& clock) {
                    arrivals.add(arriving.of(i, table, clock));
                  });
  const GroupRoles roles(arriving.groups());
  const ReportBuilder::Peers peers{arrivals, summarizeClocks(set, clocks)};
  const NodeIndex nodes(set);
  const ReportBuilder::Scope wanted{scope, nodes};
  ReportBuilder builder(std::move(by), &peers, &wanted,
                        fold ? &roles : nullptr);
  const std::int64_t first_ns = firstStartNs(set, clocks.models);
  std::uint64_t outside = 0;
  ArrivalStreams reported(set);
  readStreams(set, [&](std::size_t i, StreamTable& table) {
    ArrivalTable::Stream stream = reported.of(i, table, clocks.models[i]);
    if (!window.all()) {
      const WindowFilter filter(window, table, clocks.models[i], first_ns);
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
