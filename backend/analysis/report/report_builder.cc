#include "analysis/report/report_builder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/clocks/clock_summary.h"
#include "analysis/reading/stream_reader.h"
#include "analysis/report/run_ready_times.h"

namespace traced {

ReportBuilder::ReportBuilder(std::vector<ReportKey> by, const Peers* peers,
                             const Scope* scope, const GroupRoles* roles)
    : plan_{.keys = RowKeys(std::move(by), roles)} {
  report_.by = plan_.keys.by();
  if (roles) report_.roles = roles->many();
  if (scope) {
    plan_.scope = report_.scope = scope->reported;
    plan_.nodes = &scope->nodes;
  }
  if (peers) usePeers(*peers);
  sums_.emplace(plan_);
}

void ReportBuilder::usePeers(const Peers& peers) {
  report_.clocks = peers.clocks;
  report_.groups = peers.groups;
  plan_.ready_times = &peers.ready_times;
  const std::int64_t span_ns =
      peers.ready_times.lastNs() - peers.ready_times.firstNs();
  plan_.window_ns = static_cast<std::uint64_t>(span_ns) / Trend::kWindows + 1;
  report_.window_ns = plan_.window_ns;
  plan_.span = peers.span;
  plan_.by_step = peers.by_step;
}

void ReportBuilder::add(const StreamTable& table) {
  summarize(table);
  const std::vector<std::uint32_t> groups =
      report_.groups.add(table.header.attempt(), table.definitions.groups());
  sums_->add({added_++, table, groups, report_.groups}, nullptr);
}

Report ReportBuilder::finish(std::vector<ReportSums> sums) && {
  const std::size_t threads = std::max<std::size_t>(sums.size(), 1);
  for (ReportSums& one : sums) sums_->add(std::move(one));
  std::move(*sums_).finish(threads, report_);
  return std::move(report_);
}

Report ReportBuilder::finish() && { return std::move(*this).finish({}); }

namespace {

// Returns the node of each rank, or nothing if one is unknown.
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

// The sums of one thread.
struct ReportWorker {
  ReportSums sums;
  std::optional<PictureBuilder> pictures;
};

Report finish(ReportBuilder& builder, std::vector<ReportWorker>& workers) {
  std::vector<ReportSums> sums;
  for (ReportWorker& worker : workers) sums.push_back(std::move(worker.sums));
  Report report = std::move(builder).finish(std::move(sums));
  if (!workers[0].pictures) return report;
  PictureBuilder& pictures = *workers[0].pictures;
  for (std::size_t i = 1; i < workers.size(); ++i) {
    pictures.add(std::move(*workers[i].pictures));
  }
  report.pictures = std::move(pictures).finish();
  report.pictures->steps = report.steps->reducedTo(StepPicture::kMaxShown);
  return report;
}

}  // namespace

Report buildReport(const TraceSet& set, std::vector<ReportKey> by,
                   ReportedScope scope, const RunWindow& window, bool fold,
                   bool with_pictures) {
  RunReadyTimes run = readReadyTimes(set);
  const GroupRoles roles(run.groups);
  const ReportBuilder::Peers peers{run.ready_times,
                                   summarizeClocks(set, run.clocks), run.groups,
                                   run.span, run.by_step};
  const NodeIndex nodes(set);
  const ReportBuilder::Scope wanted{scope, nodes};
  ReportBuilder builder(std::move(by), &peers, &wanted,
                        fold ? &roles : nullptr);
  std::vector<ReportWorker> workers;
  const std::size_t threads = readingThreads(set);
  for (std::size_t i = 0; i < threads; ++i) {
    workers.push_back({builder.sums(), std::nullopt});
    if (!with_pictures) continue;
    workers.back().pictures.emplace(run.ranks, nodesOf(run.ranks, nodes),
                                    run.span);
  }
  const std::int64_t first_ns = firstStartNs(set, run.clocks.models);
  std::uint64_t outside = 0;
  workOnStreams(set, set.selected, threads,
                [&](std::size_t thread, std::size_t i, StreamTable& table) {
                  ReadyTable::Stream stream(table, run.clocks.models[i],
                                            run.clock_ids[i], run.groups_of[i]);
                  std::uint64_t cut = 0;
                  if (!window.all()) {
                    const WindowFilter filter(window, table,
                                              run.clocks.models[i], first_ns);
                    cut = cutTo(filter, table, &stream.ready);
                  }
                  ReportWorker& worker = workers[thread];
                  worker.sums.add(
                      {table.header.rank(), table, run.groups_of[i],
                       builder.groups(), &stream},
                      worker.pictures ? &*worker.pictures : nullptr);
                  return [&, cut] {
                    builder.summarize(table);
                    outside += cut;
                  };
                });
  Report report = finish(builder, workers);
  report.window = window;
  report.out_of_window = outside;
  report.summary.setClockWarnings(std::move(run.clocks.warnings));
  return report;
}

}  // namespace traced
