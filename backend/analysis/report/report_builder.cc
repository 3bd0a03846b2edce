#include "analysis/report/report_builder.h"

#include <algorithm>
#include <utility>

namespace traced {

ReportBuilder::ReportBuilder(std::vector<ReportKey> by, const Peers* peers,
                             const Scope* scope, const GroupRoles* roles)
    : plan_{.keys = RowKeys(std::move(by), roles)}, sums_(plan_) {
  report_.by = plan_.keys.by();
  if (roles) report_.roles = roles->many();
  if (scope) {
    plan_.scope = report_.scope = scope->reported;
    plan_.nodes = &scope->nodes;
  }
  if (!peers) return;
  report_.clocks = peers->clocks;
  report_.groups = peers->groups;
  plan_.arrivals = &peers->arrivals;
  const std::int64_t span_ns =
      peers->arrivals.lastNs() - peers->arrivals.firstNs();
  plan_.window_ns = static_cast<std::uint64_t>(span_ns) / Trend::kWindows + 1;
  report_.window_ns = plan_.window_ns;
}

void ReportBuilder::add(const StreamTable& table) {
  summarize(table);
  const std::vector<std::uint32_t> groups =
      report_.groups.add(table.header.attempt(), table.definitions.groups());
  sums_.add({added_++, table, groups, report_.groups}, nullptr);
}

Report ReportBuilder::finish(std::vector<ReportSums> sums) && {
  const std::size_t threads = std::max<std::size_t>(sums.size(), 1);
  for (ReportSums& one : sums) sums_.add(std::move(one));
  std::move(sums_).finish(threads, report_);
  return std::move(report_);
}

Report ReportBuilder::finish() && { return std::move(*this).finish({}); }

}  // namespace traced
