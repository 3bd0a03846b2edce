#include <algorithm>

#include "absl/strings/str_cat.h"
#include "cli/common/table.h"
#include "cli/report/report_output.h"
#include "phrasing/text.h"

namespace traced {
namespace {

void addTotalsColumns(Table& table) {
  for (const char* heading :
       {"calls", "bytes", "host\ntotal ms", "completion\ntotal ms",
        "wait\ntotal ms", "share"}) {
    table.addColumn(heading);
  }
}

void addTotals(std::vector<std::string>& cells, const Report& report,
               const CallTotals& totals, std::uint64_t run_ns) {
  cells.push_back(groupedText(totals.calls));
  cells.push_back(bytesText(totals.bytes));
  cells.push_back(totalCell(totals.host));
  cells.push_back(totalCell(totals.completion));
  cells.push_back(totalCell(totals.wait, totals.waits_unknown));
  cells.push_back(shareCell(report, totals, run_ns));
}

// Returns the transfer time if it is known, else the time to completion.
const TimeSum& timeOf(const CallTotals& totals) {
  const TimeSum& transfer = totals.split.transfer;
  return transfer.count > 0 ? transfer : totals.completion;
}

// Returns the mean of timeOf(), which must have values.
double meanNs(const CallTotals& totals) {
  const TimeSum& time = timeOf(totals);
  return static_cast<double>(time.total_ns) / static_cast<double>(time.count);
}

// Returns, for example, " dp (64 groups of 8): a call took 1.2 to 3.4 ms on the
// average of a group, longest in dp#17."
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

std::string shareCell(const Report& report, const CallTotals& totals,
                      std::uint64_t run_ns) {
  if (report.summary.fromDumps()) return "-";
  const double least = totals.shareOf(run_ns);
  return report.isBounded() ? percentRange(least, totals.mostOf(run_ns), "-")
                            : ">=" + percentText(least);
}

std::string rankTotalsText(const Report& report) {
  Table table;
  table.addColumn("rank");
  table.addColumn("run s");
  addTotalsColumns(table);
  for (const RankTotals& rank : report.ranks) {
    std::vector<std::string> cells = {
        groupedText(rank.rank),
        threeDigits(static_cast<double>(rank.run_ns) / 1e9)};
    addTotals(cells, report, rank.totals, rank.run_ns);
    table.addRow(std::move(cells));
  }
  return table.text();
}

std::string groupTotalsText(const Report& report) {
  Table table;
  table.addColumn("group", Table::Align::kLeft);
  addTotalsColumns(table);
  for (std::size_t i = 0; i < report.group_totals.size(); ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    std::vector<std::string> cells = {printable(report.groups.label(index))};
    addTotals(cells, report, report.group_totals[i],
              report.summary.rankTimeNs());
    table.addRow(std::move(cells));
  }
  return table.text();
}

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
