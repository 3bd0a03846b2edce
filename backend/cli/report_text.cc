#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/heading.h"
#include "cli/report_output.h"
#include "cli/table.h"
#include "cli/text.h"

namespace traced {
namespace {

std::string shareText(const Report& report) {
  const auto run_ns = static_cast<double>(report.summary.totalRunNs());
  if (run_ns == 0) return "";
  const CallTotals& all = report.all;
  return absl::StrFormat(
      "Communication took %s of rank time: %s inside calls, %s in waits.\n",
      percentText(all.shareOf(report.summary.totalRunNs())),
      percentText(static_cast<double>(all.host.total_ns) / run_ns),
      percentText(static_cast<double>(all.wait.total_ns) / run_ns));
}

std::string msOrNone(const TimeSummary& time, std::uint64_t ns) {
  return time.count == 0 ? "-" : millisecondsText(static_cast<double>(ns));
}

std::string bandwidthText(const std::optional<double>& gbs) {
  return gbs ? threeDigits(*gbs) : "-";
}

Table makeTable(const Report& report) {
  Table table;
  for (const ReportKey key : report.by) {
    const bool right = key == ReportKey::kRank || key == ReportKey::kSize;
    table.addColumn(key == ReportKey::kOp ? "operation" : nameOf(key),
                    right ? Table::Align::kRight : Table::Align::kLeft);
  }
  for (const char* heading :
       {"calls", "bytes", "host ms\np50", "\np99", "completion ms\np50",
        "\np99", "\nmax", "wait ms\np50", "\np99", "\nmax", "busbw GB/s\np50",
        "share\nof run"}) {
    table.addColumn(heading);
  }
  return table;
}

std::vector<std::string> cellsOf(const ReportRow& row) {
  std::vector<std::string> cells;
  for (const std::string& key : row.keys) cells.push_back(printable(key));
  const auto add = [&](const TimeSummary& time, auto... values) {
    (cells.push_back(msOrNone(time, values)), ...);
  };
  cells.push_back(groupedText(row.totals.calls));
  cells.push_back(
      bytesText(std::max(row.totals.bytes_in, row.totals.bytes_out)));
  add(row.host, row.host.p50_ns, row.host.p99_ns);
  add(row.completion, row.completion.p50_ns, row.completion.p99_ns,
      row.completion.max_ns);
  add(row.wait, row.wait.p50_ns, row.wait.p99_ns, row.wait.max_ns);
  cells.push_back(bandwidthText(row.busbw_gbs));
  cells.push_back(percentText(row.share));
  return cells;
}

std::string notesText(const CallTotals& all) {
  std::string text;
  const auto say = [&](std::uint64_t count, const char* what) {
    if (count > 0) absl::StrAppend(&text, " ", countOf(count, "call"), what);
  };
  say(all.ends_unknown, " whose end was not observed.");
  say(all.ends_at_wait, " whose end only a wait showed, a late bound.");
  say(all.failed, " failed.");
  return text.empty() ? text : text + "\n";
}

}  // namespace

std::string reportText(const std::string& title, const TraceSet& set,
                       const Report& report, std::size_t max_rows) {
  Table table = makeTable(report);
  const std::size_t shown = std::min(max_rows, report.rows.size());
  for (std::size_t i = 0; i < shown; ++i) table.addRow(cellsOf(report.rows[i]));

  std::string text = headingText(title, set, report.summary);
  if (report.rows.empty()) return text + "\nNo operations were recorded.\n";
  absl::StrAppend(&text, "\n", shareText(report), "\n", table.text());
  if (shown < report.rows.size()) {
    absl::StrAppend(&text, " ", countOf(report.rows.size() - shown, "more row"),
                    "; --all shows them\n");
  }
  absl::StrAppend(&text, notesText(report.all),
                  " host: issue to return. completion: issue to end. busbw is "
                  "over completion time; GB = 1e9 bytes.\n");
  return text;
}

}  // namespace traced
