// The report of a run, made from its streams.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/job/run_filters.h"
#include "analysis/reading/trace_set.h"
#include "analysis/report/report.h"
#include "analysis/report/report_sums.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// ReportBuilder makes a Report from streams that are shown to it.
//
// Memory: that of one ReportSums for each thread; those of all rows together
// are as large as if there were one.
class ReportBuilder {
 public:
  // What of a run is known beforehand, for the split into waiting for peers and
  // transfer: when ranks arrived, the clocks, and all groups.
  struct Peers {
    const ReadyTable& ready_times;
    ClockSummary clocks;
    GroupCatalog groups;
  };
  // Which operations count, and where ranks ran.
  struct Scope {
    ReportedScope reported;
    const NodeIndex& nodes;
  };

  // Without `peers` operations are not split, without `scope` all count,
  // without `roles` each group has rows of its own. They must outlive the
  // builder.
  explicit ReportBuilder(std::vector<ReportKey> by,
                         const Peers* peers = nullptr,
                         const Scope* scope = nullptr,
                         const GroupRoles* roles = nullptr);
  ReportBuilder(const ReportBuilder&) = delete;
  ReportBuilder& operator=(const ReportBuilder&) = delete;

  // All of a stream, in one thread. In the order of the ranks.
  void add(const StreamTable& table);

  // The same in two parts: the summary in the order of the ranks, and in
  // between or later the operations, by several threads. Each adds to sums of
  // its own; they are finished together.
  void summarize(const StreamTable& table) { report_.summary.add(table); }
  ReportSums sums() const { return ReportSums(plan_); }
  const GroupCatalog& groups() const { return report_.groups; }

  // Rows are in the order in which the streams come upon them; see sortRows().
  Report finish(std::vector<ReportSums> sums) &&;
  Report finish() &&;

 private:
  ReportPlan plan_;
  Report report_;
  // Of the one thread.
  ReportSums sums_;
  std::size_t added_ = 0;
};

// Reads the selected streams twice: first to learn when each rank arrived at
// each collective, then to split the time of each operation, several streams at
// once. Memory: a stream per thread, a row per collective, 64 MiB at most for a
// host whose clock is not aligned yet, and what ReportBuilder keeps.
// With a window only what was issued in it counts, and ranks are as long as it;
// who waited for whom is told from all of the run.
// `fold`: many groups of one role have rows together. `with_pictures`: the
// report has Pictures, too.
Report buildReport(const TraceSet& set, std::vector<ReportKey> by,
                   ReportedScope scope = ReportedScope::kAll,
                   const RunWindow& window = {}, bool fold = false,
                   bool with_pictures = false);

}  // namespace traced
