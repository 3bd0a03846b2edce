// Builds the report of a run from its streams.

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

// ReportBuilder makes a Report from the streams added to it.
//
// Memory: one ReportSums per thread. Together their rows are as large as those
// of a single one.
class ReportBuilder {
 public:
  // Data of the whole run needed to split times into waiting for peers and
  // transfer: ready times, clocks and all groups.
  struct Peers {
    const ReadyTable& ready_times;
    ClockSummary clocks;
    GroupCatalog groups;
    PictureSpan span;
    bool by_step;
  };
  // Which operations count, and the node of each rank.
  struct Scope {
    ReportedScope reported;
    const NodeIndex& nodes;
  };

  // Without `peers`, operations are not split. Without `scope`, all operations
  // count. Without `roles`, each group has its own rows. All of them must
  // outlive the builder.
  explicit ReportBuilder(std::vector<ReportKey> by,
                         const Peers* peers = nullptr,
                         const Scope* scope = nullptr,
                         const GroupRoles* roles = nullptr);
  ReportBuilder(const ReportBuilder&) = delete;
  ReportBuilder& operator=(const ReportBuilder&) = delete;

  // Adds a whole stream, on one thread. Call in ascending order of rank.
  void add(const StreamTable& table);

  // Same in two steps: call summarize() in ascending order of rank; add the
  // operations at any time to sums(), one instance per thread. finish() merges
  // them.
  void summarize(const StreamTable& table) { report_.summary.add(table); }
  ReportSums sums() const { return ReportSums(plan_); }
  const GroupCatalog& groups() const { return report_.groups; }

  // Returns the report. Rows are in order of first appearance; see sortRows().
  Report finish(std::vector<ReportSums> sums) &&;
  Report finish() &&;

 private:
  void usePeers(const Peers& peers);

  ReportPlan plan_;
  Report report_;
  // Sums of add(), for use with one thread. Made after the plan.
  std::optional<ReportSums> sums_;
  std::size_t added_ = 0;
};

// Reads the selected streams twice: first to find when each rank was ready for
// each collective, then to split the time of each operation, several streams at
// once.
//
// With a window, only operations issued in it count, and the run of a rank is
// the window. Dependencies between ranks are still derived from the whole run.
// `fold`: groups of one role share rows. `with_pictures`: include Pictures.
//
// Memory: a stream per thread, a row per collective, up to 64 MiB for a host
// whose clock is not aligned yet, and that of ReportBuilder.
Report buildReport(const TraceSet& set, std::vector<ReportKey> by,
                   ReportedScope scope = ReportedScope::kAll,
                   const RunWindow& window = {}, bool fold = false,
                   bool with_pictures = false);

}  // namespace traced
