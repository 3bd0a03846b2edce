#include "analysis/report/run_report.h"

#include <optional>
#include <utility>

#include "analysis/clocks/aligned_streams.h"
#include "analysis/clocks/clock_summary.h"
#include "analysis/reading/stream_reader.h"
#include "analysis/report/report_builder.h"

namespace traced {
namespace {

// Of each rank; empty where one is not known.
std::vector<RankNode> nodesOf(const std::vector<std::uint32_t>& ranks,
                              const NodeIndex& index) {
  std::vector<RankNode> nodes;
  for (const std::uint32_t rank : ranks) {
    const NodeIndex::Node* node = index.of(rank);
    if (!node) return {};
    nodes.push_back({node->number, node->name});
  }
  return nodes;
}

}  // namespace

Report buildReport(const TraceSet& set, std::vector<ReportKey> by,
                   ReportedScope scope, const RunWindow& window, bool fold,
                   bool with_pictures) {
  const std::vector<std::uint32_t> clock_ids = clockIds(set);
  GroupCatalog groups;
  const auto arriving = [&](std::size_t i, const StreamTable& table,
                            const v1::ClockModel& clock) {
    return ArrivalTable::Stream(
        table, clock, clock_ids[i],
        groups.add(table.header.attempt(), table.definitions.groups()));
  };
  ArrivalTable arrivals;
  std::vector<std::uint32_t> ranks;
  bool by_step = false;
  PictureSpan span;
  AlignedClocks clocks =
      readAligned(set, readingThreads(set),
                  [&](std::size_t i, const StreamTable& table,
                      const v1::ClockModel& clock) {
                    arrivals.add(arriving(i, table, clock));
                    ranks.push_back(table.header.rank());
                    by_step |= !table.marks.steps().empty();
                    span.add(table, clock);
                  });
  const GroupRoles roles(groups);
  const ReportBuilder::Peers peers{arrivals, summarizeClocks(set, clocks)};
  const NodeIndex nodes(set);
  const ReportBuilder::Scope wanted{scope, nodes};
  ReportBuilder builder(std::move(by), &peers, &wanted,
                        fold ? &roles : nullptr);
  std::optional<PictureBuilder> pictures;
  if (with_pictures) {
    if (arrivals.firstNs() < arrivals.lastNs()) {
      span = {arrivals.firstNs(), arrivals.lastNs()};
    }
    pictures.emplace(ranks, nodesOf(ranks, nodes), span, by_step);
    builder.showTo(*pictures);
  }
  const std::int64_t first_ns = firstStartNs(set, clocks.models);
  std::uint64_t outside = 0;
  readStreams(set, [&](std::size_t i, StreamTable& table) {
    ArrivalTable::Stream stream = arriving(i, table, clocks.models[i]);
    if (!window.all()) {
      const WindowFilter filter(window, table, clocks.models[i], first_ns);
      outside += cutTo(filter, table, &stream.ready);
    }
    builder.add(stream);
  });
  Report report = std::move(builder).finish();
  if (pictures) report.pictures = std::move(*pictures).finish();
  report.window = window;
  report.out_of_window = outside;
  report.summary.setClockWarnings(std::move(clocks.warnings));
  return report;
}

}  // namespace traced
