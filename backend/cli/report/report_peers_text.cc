#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/report/report_output.h"
#include "phrasing/text.h"

namespace traced {
namespace {

std::string milliseconds(std::uint64_t ns) {
  return millisecondsText(static_cast<double>(ns)) + " ms";
}

// Returns a key for use in a sentence, with a noun for a bare number or name.
std::string keyName(ReportKey key, const std::string& text) {
  switch (key) {
    case ReportKey::kRank:
      return absl::StrCat("rank ", text);
    case ReportKey::kStep:
      return text == "-" ? "no step" : absl::StrCat("step ", text);
    case ReportKey::kGroup:
      return absl::StrCat("\"", text, "\"");
    case ReportKey::kAnnotation:
    case ReportKey::kModule:
    case ReportKey::kPhase:
    case ReportKey::kParent:
    case ReportKey::kSite:
      return text == "-" ? absl::StrCat("no ", nameOf(key)) : text;
    default:
      return text;
  }
}

// Returns a row's name: "all_reduce, "dp", float32, 1-2 MiB". Omits the rank if
// the sentence already has it.
std::string rowName(const Report& report, const ReportRow& row,
                    bool rank_is_shown = false) {
  std::string name;
  for (std::size_t i = 0; i < row.keys.size(); ++i) {
    if (rank_is_shown && report.by[i] == ReportKey::kRank) continue;
    absl::StrAppend(&name, name.empty() ? "" : ", ",
                    keyName(report.by[i], row.keys[i]));
  }
  return name.empty() ? "all operations" : printable(name);
}

void addDegraded(std::string& text, const Report& report, const ReportRow& row,
                 const char* what, const std::optional<Trend::Change>& change) {
  if (!change) return;
  absl::StrAppend(
      &text, "Degraded since ", durationText(change->since * report.window_ns),
      " after the first operation: ", what, " of ", rowName(report, row), ", ",
      milliseconds(change->before_ns), " before and ",
      milliseconds(change->after_ns), " from then on (medians).\n");
}

}  // namespace

std::string clocksText(const Report& report) {
  const ClockSummary& clocks = report.clocks;
  if (clocks.clocks < 2) return "";
  if (clocks.aligned == 0 && clocks.certified) {
    return "clocks: as the merged file has them\n";
  }
  if (!clocks.certified) {
    return "clocks: not aligned; hosts are placed by their wall clocks, whose "
           "error is not known\n";
  }
  std::string text = absl::StrFormat(
      "clocks: aligned, certified within %.0f us (median over time; worst pair "
      "%u-%u)",
      static_cast<double>(clocks.certified->within_ns) / 1e3,
      clocks.certified->worst_pair.first, clocks.certified->worst_pair.second);
  if (clocks.by_wall_clock > 0) {
    absl::StrAppend(&text, "; ", clocks.by_wall_clock, " of ", clocks.clocks,
                    " only placed by their wall clocks");
  }
  return text + "\n";
}

std::string latestText(const Report& report) {
  const auto latest = latestOf(report);
  if (!latest) return "";
  return absl::StrCat("Latest most often: rank ", latest->rank, " (last in ",
                      percentText(latest->part), " of ",
                      rowName(report, report.rows[latest->row],
                              /*rank_is_shown=*/true),
                      ", by ", milliseconds(latest->behind_p50_ns),
                      " median).\n");
}

std::string degradedText(const Report& report) {
  std::string text;
  for (const ReportRow& row : report.rows) {
    addDegraded(text, report, row, "wait for peers", row.split.waitDegraded());
    addDegraded(text, report, row, "transfer", row.split.transferDegraded());
  }
  return text;
}

}  // namespace traced
