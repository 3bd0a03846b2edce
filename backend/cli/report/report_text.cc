#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/common/heading.h"
#include "cli/common/part_options.h"
#include "cli/common/table.h"
#include "cli/report/report_output.h"
#include "phrasing/diagnosis_text.h"
#include "phrasing/text.h"

namespace traced {
namespace {

// Of waits that were not seen: `most` of rank time, where nothing was lost.
std::string unseenText(const Report& report, double most) {
  const CallTotals& all = report.all;
  if (all.waits_unknown == 0) return "";
  const std::string of =
      absl::StrFormat(" for %d of %d operations", all.waits_unknown, all.calls);
  return report.isBounded() ? ", up to " + percentText(most) +
                                  " in waits that were not seen," + of
                            : "; whether and how long the program waited" + of +
                                  " was not seen";
}

std::string shareText(const Report& report) {
  const auto run_ns = static_cast<double>(report.summary.rankTimeNs());
  if (report.summary.fromDumps()) {
    return "How long communication held up the ranks is not known: dumps have "
           "neither returns nor waits.\n";
  }
  if (run_ns == 0) return "";
  const CallTotals& all = report.all;
  const double least = all.shareOf(report.summary.rankTimeNs());
  const double most = all.mostOf(report.summary.rankTimeNs());
  return absl::StrFormat(
      "Communication took %s of rank time: %s inside calls, %s in waits%s.\n"
      "Rank time is from a rank's first operation to its last, at most %s.\n",
      report.isBounded() ? percentRange(least, most, " to ")
                         : "at least " + percentText(least),
      percentText(static_cast<double>(all.held_call_ns) / run_ns),
      percentText(static_cast<double>(all.held_wait_ns) / run_ns),
      unseenText(report, most - least),
      durationText(report.summary.longestRankTimeNs()));
}

// Of operations, whether or not the program waited for them.
std::string peersText(const Report& report) {
  const auto run_ns = static_cast<double>(report.summary.rankTimeNs());
  if (run_ns == 0 || report.all.split.wait_for_peers.count == 0) return "";
  return absl::StrFormat(
      "Of rank time operations took %s waiting for peers and %s in "
      "transfer, with or without the program waiting for them.\n",
      waitingCell(report, " to "),
      percentText(static_cast<double>(report.all_states.transfer_ns) / run_ns));
}

std::string msOrNone(const TimeSummary& time, double ns) {
  return time.count == 0 ? "-" : millisecondsText(ns);
}

std::string bandwidthText(const std::optional<double>& gbs) {
  return gbs ? threeDigits(*gbs) : "-";
}

// Columns under one heading.
void addColumns(Table& table, const std::string& heading,
                const std::vector<std::string>& figures) {
  for (std::size_t i = 0; i < figures.size(); ++i) {
    table.addColumn((i == 0 ? heading : "") + "\n" + figures[i]);
  }
}

void addCells(std::vector<std::string>& cells, const TimeSummary& time,
              bool wide, std::uint64_t not_seen = 0) {
  if (wide) {
    cells.push_back(totalCell({time.count, time.total_ns}, not_seen));
    cells.push_back(msOrNone(time, time.mean_ns));
  }
  cells.push_back(msOrNone(time, static_cast<double>(time.p50_ns)));
  cells.push_back(msOrNone(time, static_cast<double>(time.p99_ns)));
  if (wide) {
    cells.push_back(msOrNone(time, static_cast<double>(time.max_ns)));
  }
}

// What is not told from 0 is only said to be below what it can be.
std::string certifiedText(const CertifiedTime& time) {
  return isSurelyNotZero(time)
             ? millisecondsText(static_cast<double>(notBelowZero(time.ns)))
             : "<" + millisecondsText(static_cast<double>(time.high_ns));
}

void addCertified(std::vector<std::string>& cells, const CertifiedTimes& times,
                  bool wide) {
  const auto add = [&cells, &times](const CertifiedTime& time) {
    cells.push_back(times.count() == 0 ? "-" : certifiedText(time));
  };
  add(times.p50());
  add(times.p99());
  if (wide) add(times.max());
}

Table makeTable(const Report& report, bool wide) {
  Table table;
  for (const ReportKey key : report.by) {
    const bool right = key == ReportKey::kRank || key == ReportKey::kSize;
    table.addColumn(key == ReportKey::kOp ? "operation" : nameOf(key),
                    right ? Table::Align::kRight : Table::Align::kLeft);
  }
  // Of a row by parent the calls are those of the parent.
  const bool by_parent = report.isBy(ReportKey::kParent);
  table.addColumn("calls");
  if (by_parent) table.addColumn("operations");
  table.addColumn("bytes");
  std::vector<std::string> figures = {"p50", "p99"};
  std::vector<std::string> certified = figures;
  if (wide) {
    figures = {"total", "mean", "p50", "p99", "max"};
    certified.push_back("max");
  }
  addColumns(table, "host ms", figures);
  addColumns(table, "completion ms", figures);
  addColumns(table, "wait ms", figures);
  addColumns(table, "for peers ms", certified);
  addColumns(table, "transfer ms", certified);
  if (wide) table.addColumn("algbw\nGB/s");
  table.addColumn("busbw\nGB/s");
  if (wide) table.addColumn("busbw of\ntransfer");
  table.addColumn("share\nof run");
  return table;
}

std::vector<std::string> cellsOf(const Report& report, const ReportRow& row,
                                 bool wide) {
  std::vector<std::string> cells;
  for (const std::string& key : row.keys) cells.push_back(printable(key));
  if (report.isBy(ReportKey::kParent)) {
    const std::uint64_t parents = row.totals.parents;
    cells.push_back(parents == 0 ? "-" : groupedText(parents));
  }
  cells.push_back(groupedText(row.totals.calls));
  cells.push_back(bytesText(row.totals.bytes));
  addCells(cells, row.host, wide);
  addCells(cells, row.completion, wide);
  addCells(cells, row.wait, wide, row.totals.waits_unknown);
  addCertified(cells, row.split.waitForPeers(), wide);
  addCertified(cells, row.split.transfer(), wide);
  if (wide) cells.push_back(bandwidthText(row.algbw_gbs));
  cells.push_back(bandwidthText(row.busbw_gbs));
  if (wide) cells.push_back(bandwidthText(row.split.transferBusbwGbs()));
  cells.push_back(shareCell(report, row.totals, report.summary.rankTimeNs()));
  return cells;
}

// Which columns go first where there is no room for all.
std::vector<std::string> firstToGo(const std::string& sort) {
  std::vector<std::string> headings;
  for (const char* heading : {"host ms", "busbw", "completion ms",
                              "for peers ms", "wait ms", "transfer ms"}) {
    if (heading != sort + " ms") headings.push_back(heading);
  }
  return headings;
}

// The rows, as wide as the screen.
std::string rowsText(const Report& report, const ReportTextOptions& options) {
  Table table = makeTable(report, options.wide);
  const std::size_t shown = std::min(options.max_rows, report.rows.size());
  for (std::size_t i = 0; i < shown; ++i) {
    table.addRow(cellsOf(report, report.rows[i], options.wide));
  }
  std::vector<std::string> hidden;
  if (!options.wide) {
    hidden = table.fit(options.columns, firstToGo(options.sort));
  }
  std::string text = table.text(options.colours);
  if (shown < report.rows.size()) {
    absl::StrAppend(&text, " ", countOf(report.rows.size() - shown, "more row"),
                    "; --all shows them\n");
  }
  if (!hidden.empty()) {
    absl::StrAppend(&text, " No room here for ", absl::StrJoin(hidden, ", "),
                    "; --wide shows all columns.\n");
  }
  return text;
}

constexpr char kLegend[] =
    " host: issue to return. completion: issue to end. wait: in the program's "
    "wait. for peers: until the last of those it depends on was ready. "
    "transfer: from there to the end. share: host and wait of the time of the "
    "ranks. \">=\": there is more, not observed. \"-\": not observed.\n"
    " busbw is the median over completion time; GB = 1e9 bytes. --wide also "
    "has totals, means and maxima, and what each rank and group spent.\n";

// Of a run over NCCL without device times: how its ends and waits are to be
// had.
bool wantsDeviceTimes(const Report& report) {
  const auto& device = report.summary.deviceTimes();
  if (device.error_ns || device.untimed > 0) return false;
  const auto isNccl = [](const std::string& backend) {
    return backend.starts_with("nccl");
  };
  return report.all.ends_unknown + report.all.waits_unknown > 0 &&
         std::ranges::any_of(report.summary.backends(), isNccl);
}

std::string soloText(const Report& report) {
  const auto is_used = [&report](std::uint32_t group) {
    return report.group_totals[group].calls > 0;
  };
  const std::string text = groupsOfOneText(groupsOfOne(report.groups, is_used));
  return text.empty() ? "" : " " + text;
}

}  // namespace

std::string notesText(const Report& report) {
  const CallTotals& all = report.all;
  std::string text;
  const auto say = [&](std::uint64_t count, const char* what) {
    if (count > 0) absl::StrAppend(&text, " ", countOf(count, "call"), what);
  };
  say(all.ends_unknown, " whose end was not observed.");
  say(all.ends_with_batch,
      " in coalesced batches, which end as a whole: see coalesced.");
  say(all.ends_at_wait, " whose end only a wait showed, a late bound.");
  say(all.ends_by_future, " whose end a future told, a late bound.");
  say(all.ends_at_hook,
      " whose end the backend's watchdog showed, a late bound.");
  say(all.waits_unknown, report.isBounded()
                             ? " whose wait was not seen, as DDP's: of two "
                               "figures of a share the second has the program "
                               "wait until they ended."
                             : " whose wait was not seen, as DDP's.");
  if (wantsDeviceTimes(report)) {
    absl::StrAppend(&text,
                    " The GPU was not asked when it was done: with "
                    "TRACED_DEVICE_TIME=full it is.");
  }
  say(all.failed, " failed.");
  say(all.captured,
      " captured in a graph: counted once, their replays are not seen.");
  say(report.summary.simulated(),
      " simulated: nothing was communicated, not counted above.");
  return text.empty() ? text : text + "\n";
}

std::string reportText(const std::string& title, const TraceSet& set,
                       const Report& report, const ReportTextOptions& options) {
  const auto fitting = [&options](const std::string& text) {
    return options.wide ? text : wrappedLines(text, options.columns);
  };
  std::string text = headingText(title, set, report.summary);
  const std::string scope = scopeText(report.scope, report.out_of_scope);
  if (!scope.empty()) absl::StrAppend(&text, scope, "\n");
  const std::string window = windowText(report.window, report.out_of_window);
  if (!window.empty()) absl::StrAppend(&text, window, "\n");
  absl::StrAppend(&text, clocksText(report));
  if (report.rows.empty()) {
    const char* none =
        report.out_of_scope > 0    ? "No operations are in the scope."
        : report.out_of_window > 0 ? "No operations are in the window."
                                   : "No operations were recorded.";
    return fitting(absl::StrCat(text, "\n", none, "\n", notesText(report)));
  }
  absl::StrAppend(&text, "\n", shareText(report), peersText(report),
                  latestText(report), degradedText(report), "\n");
  text = absl::StrCat(fitting(text), rowsText(report, options));
  if (options.wide) {
    absl::StrAppend(&text, "\n", rankTotalsText(report), "\n",
                    groupTotalsText(report), "\n");
  }
  const std::string notes =
      absl::StrCat(rolesText(report), soloText(report), notesText(report),
                   deviceTimesText(report.summary.deviceTimes(), " "), kLegend);
  return text + fitting(notes);
}

}  // namespace traced
