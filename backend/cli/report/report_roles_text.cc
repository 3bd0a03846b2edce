#include <algorithm>

#include "absl/strings/str_cat.h"
#include "cli/common/text.h"
#include "cli/report/report_output.h"

namespace traced {
namespace {

// Of a group's operations: in transfer where that is known, else to their ends.
const TimeSum& timeOf(const CallTotals& totals) {
  const TimeSum& transfer = totals.split.transfer;
  return transfer.count > 0 ? transfer : totals.completion;
}

double meanNs(const CallTotals& totals) {
  const TimeSum& time = timeOf(totals);
  return static_cast<double>(time.total_ns) / static_cast<double>(time.count);
}

// " dp (64 groups of 8): a call took 1.2 to 3.4 ms on the average of a group,
// longest in dp#17."
std::string spreadText(const Report& report, const GroupRoles::Role& role) {
  std::vector<std::uint32_t> timed;
  bool in_transfer = true;
  for (const std::uint32_t group : role.groups) {
    const CallTotals& totals = report.group_totals[group];
    if (timeOf(totals).count == 0) continue;
    timed.push_back(group);
    in_transfer &= totals.split.transfer.count > 0;
  }
  if (timed.empty()) return "";
  const auto [least, most] = std::minmax_element(
      timed.begin(), timed.end(), [&](std::uint32_t a, std::uint32_t b) {
        return meanNs(report.group_totals[a]) < meanNs(report.group_totals[b]);
      });
  return absl::StrCat(" ", printable(role.label), ": a call took ",
                      millisecondsText(meanNs(report.group_totals[*least])),
                      " to ",
                      millisecondsText(meanNs(report.group_totals[*most])),
                      in_transfer ? " ms in transfer" : " ms to its end",
                      " on the average of a group, longest in ",
                      printable(report.groups.label(*most)), ".\n");
}

}  // namespace

std::string rolesText(const Report& report) {
  const bool by_group = std::find(report.by.begin(), report.by.end(),
                                  ReportKey::kGroup) != report.by.end();
  std::string text;
  if (!by_group) return text;
  for (const GroupRoles::Role& role : report.roles) {
    absl::StrAppend(&text, spreadText(report, role));
  }
  return report.roles.empty()
             ? text
             : text + " --groups all shows each group by itself.\n";
}

}  // namespace traced
