#include <algorithm>
#include <optional>
#include <string_view>

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

std::string msOrNone(const TimeSummary& time, double ns) {
  return time.count == 0 ? "-" : millisecondsText(ns);
}

std::string bandwidthText(const std::optional<double>& gbs) {
  return gbs ? threeDigits(*gbs) : "-";
}

// Adds columns under one heading.
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

// Returns a time. If it cannot be distinguished from 0, only its upper bound is
// shown.
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
  // With rows by parent, the calls are those of the parent.
  const bool by_parent = report.isBy(ReportKey::kParent);
  table.addColumn("calls");
  if (by_parent) {
    table.addColumn("ms per\ncall");
    table.addColumn("inside\noperations");
    table.addColumn("operations");
  }
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

// Adds the number of enclosing calls, their mean time, and the part of it in
// operations.
void addParents(std::vector<std::string>& cells, const CallTotals& totals) {
  if (totals.parents == 0) {
    cells.insert(cells.end(), 3, "-");
    return;
  }
  const auto ns = static_cast<double>(totals.parents_ns);
  const auto inside_ns = static_cast<double>(totals.parents_inside_ns);
  cells.push_back(groupedText(totals.parents));
  cells.push_back(millisecondsText(ns / static_cast<double>(totals.parents)));
  cells.push_back(ns == 0 ? "-" : percentText(inside_ns / ns));
}

// Returns the length of the directory that all call sites share, with its
// slash. Rows without a site do not count.
std::size_t sharedDirectory(const Report& report) {
  const auto by = std::ranges::find(report.by, ReportKey::kSite);
  if (by == report.by.end()) return 0;
  const auto key = static_cast<std::size_t>(by - report.by.begin());
  std::optional<std::string_view> shared;
  for (const ReportRow& row : report.rows) {
    const std::string_view site = row.keys[key];
    if (!site.starts_with('/')) continue;
    const std::string_view file = site.substr(0, site.find(':'));
    const std::string_view folder = file.substr(0, file.rfind('/') + 1);
    if (!shared) shared = folder;
    const auto differs = std::ranges::mismatch(*shared, folder).in1;
    const auto equal = static_cast<std::size_t>(differs - shared->begin());
    shared = shared->substr(0, shared->substr(0, equal).rfind('/') + 1);
  }
  return shared ? shared->size() : 0;
}

// Returns the cells of a row. `directory` is the length of the prefix that call
// sites omit.
std::vector<std::string> cellsOf(const Report& report, const ReportRow& row,
                                 bool wide, std::size_t directory) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < row.keys.size(); ++i) {
    const std::string& key = row.keys[i];
    const bool is_path =
        report.by[i] == ReportKey::kSite && key.starts_with('/');
    cells.push_back(printable(is_path ? key.substr(directory) : key));
  }
  if (report.isBy(ReportKey::kParent)) {
    addParents(cells, row.totals);
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

// Returns the columns to remove first if the screen is too narrow.
std::vector<std::string> firstToGo(const std::string& sort) {
  std::vector<std::string> headings;
  for (const char* heading : {"host ms", "busbw", "completion ms",
                              "for peers ms", "wait ms", "transfer ms"}) {
    if (heading != sort + " ms") headings.push_back(heading);
  }
  return headings;
}

// Returns the table, fitted to the screen.
std::string rowsText(const Report& report, const ReportTextOptions& options) {
  Table table = makeTable(report, options.wide);
  const std::size_t directory = options.wide ? 0 : sharedDirectory(report);
  const std::size_t shown = std::min(options.max_rows, report.rows.size());
  for (std::size_t i = 0; i < shown; ++i) {
    table.addRow(cellsOf(report, report.rows[i], options.wide, directory));
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
    absl::StrAppend(
        &text,
        wrapped(" ",
                absl::StrCat("Hidden columns: ", absl::StrJoin(hidden, ", "),
                             ". --wide shows them."),
                options.columns));
  }
  return text;
}

// Returns true if device times would show ends or waits that this NCCL run
// lacks.
bool wantsDeviceTimes(const Report& report) {
  const auto& device = report.summary.deviceTimes();
  if (device.error_ns || device.untimed > 0) return false;
  const auto isNccl = [](const std::string& backend) {
    return backend.starts_with("nccl");
  };
  return report.all.ends_unknown + report.all.waits_unknown > 0 &&
         std::ranges::any_of(report.summary.backends(), isNccl);
}

// "16 calls: the recorded end is an upper bound (15 from a future callback, 1
// from a wait)."; "" if there are none.
std::string lateEndsText(const CallTotals& all) {
  std::vector<std::string> sources;
  const auto add = [&sources](std::uint64_t count, const char* source) {
    if (count > 0) sources.push_back(absl::StrCat(groupedText(count), source));
  };
  add(all.ends_by_future, " from a future callback");
  add(all.ends_at_wait, " from a wait");
  add(all.ends_at_hook, " from the backend's watchdog");
  if (sources.empty()) return "";
  return absl::StrCat(
      countOf(all.ends_by_future + all.ends_at_wait + all.ends_at_hook, "call"),
      ": the recorded end is an upper bound (", absl::StrJoin(sources, ", "),
      ").");
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
  const auto note = [&text](std::uint64_t count, const char* one,
                            const char* many, const std::string& rest) {
    if (count == 0) return;
    absl::StrAppend(&text, " ", countOf(count, "call"), " ",
                    count == 1 ? one : many, rest, "\n");
  };
  note(all.ends_unknown, "has", "have", " no recorded end.");
  note(all.ends_with_batch, "is part", "are part",
       " of coalesced batches, which end as a whole (row \"coalesced\").");
  const std::string late = lateEndsText(all);
  if (!late.empty()) absl::StrAppend(&text, " ", late, "\n");
  if (report.isBounded()) {
    note(all.waits_unknown, "has", "have",
         " no recorded wait. The upper end of a range assumes that the "
         "program waited for the end.");
  }
  if (wantsDeviceTimes(report)) {
    absl::StrAppend(&text,
                    " The GPU's own times were not recorded. "
                    "TRACED_DEVICE_TIME=full records them.\n");
  }
  note(all.failed, "failed", "failed", ".");
  note(all.captured, "was", "were",
       " captured in a CUDA graph: counted once, replays are not recorded.");
  note(report.summary.simulated(), "was", "were",
       " simulated: nothing was communicated, and no row counts them.");
  return text;
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
  absl::StrAppend(&text, "\n", communicationText(report), stepsText(report),
                  latestText(report), degradedText(report),
                  groupStartText(report, options.wide), smallCallsText(report),
                  "\n");
  text = absl::StrCat(fitting(text), rowsText(report, options));
  absl::StrAppend(&text, groupStartsText(report, options.wide));
  if (options.wide) {
    absl::StrAppend(&text, "\n", outsideText(report.summary), "\n",
                    rankTotalsText(report), "\n", groupTotalsText(report),
                    "\n");
  }
  const std::string notes =
      absl::StrCat(rolesText(report), soloText(report), notesText(report),
                   deviceTimesText(report.summary.deviceTimes(), " "),
                   " `tracectl help columns` explains the columns.\n");
  return text + fitting(notes);
}

}  // namespace traced
