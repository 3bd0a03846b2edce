#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/common/table.h"
#include "cli/report/report_output.h"
#include "phrasing/text.h"

namespace traced {
namespace {

// Creating groups and first calls are reported from this time on a rank, and
// from this part of its run.
constexpr std::uint64_t kMinNs = 100'000'000;
constexpr std::uint64_t kMinPart = 100;  // a hundredth
constexpr std::size_t kMaxRows = 8;

std::uint64_t startNs(const RankTotals& rank) {
  return rank.creating_ns.value_or(0) + rank.first_calls_ns.value_or(0);
}

// Returns the rank that took longest to create groups and for first calls;
// nullptr if it took too little to be shown.
const RankTotals* slowestToStart(const Report& report, bool all) {
  if (!report.window.all()) return nullptr;
  const auto slowest = std::max_element(
      report.ranks.begin(), report.ranks.end(),
      [](const auto& a, const auto& b) { return startNs(a) < startNs(b); });
  if (slowest == report.ranks.end() || startNs(*slowest) == 0) return nullptr;
  const bool is_long = startNs(*slowest) >= kMinNs &&
                       startNs(*slowest) >= slowest->run_ns / kMinPart;
  return is_long || all ? &*slowest : nullptr;
}

std::string rankMs(std::uint64_t ns) {
  return millisecondsText(static_cast<double>(ns));
}

void addRankTimes(std::vector<std::string>& cells, const RankTimes& times) {
  if (times.empty()) {
    cells.insert(cells.end(), 3, "-");
    return;
  }
  cells.push_back(rankMs(times.p50Ns()));
  cells.push_back(rankMs(times.longest().ns));
  cells.push_back(groupedText(times.longest().rank));
}

// Returns the groups with a known start, slowest first.
std::vector<std::uint32_t> slowestGroups(const Report& report) {
  const auto longestOf = [&report](std::uint32_t group) {
    const GroupStart& start = report.group_starts[group];
    const auto longest = [](const RankTimes& times) {
      return times.empty() ? 0 : times.longest().ns;
    };
    return longest(start.created) + longest(start.first);
  };
  std::vector<std::uint32_t> groups;
  for (std::uint32_t i = 0; i < report.group_starts.size(); ++i) {
    if (longestOf(i) > 0) groups.push_back(i);
  }
  std::ranges::stable_sort(groups, [&](std::uint32_t a, std::uint32_t b) {
    return longestOf(a) > longestOf(b);
  });
  return groups;
}

std::vector<std::string> startCells(const Report& report, std::uint32_t group,
                                    bool has_barrier) {
  const GroupStart& start = report.group_starts[group];
  std::vector<std::string> cells = {
      printable(report.groups.label(group)),
      groupedText(report.groups.groups()[group].members.size())};
  addRankTimes(cells, start.created);
  if (has_barrier) {
    cells.push_back(start.barrier.empty() ? "-"
                                          : rankMs(start.barrier.p50Ns()));
  }
  cells.push_back(start.first.empty() ? "-" : start.first_op);
  addRankTimes(cells, start.first);
  cells.push_back(start.later_ns.count() == 0
                      ? "-"
                      : rankMs(start.later_ns.percentile(50)));
  return cells;
}

Table startTable(bool has_barrier) {
  Table table;
  table.addColumn("group", Table::Align::kLeft);
  table.addColumn("members");
  table.addColumn("created ms\np50");
  table.addColumn("\nmax");
  table.addColumn("\nrank");
  if (has_barrier) table.addColumn("in barrier\nms p50");
  table.addColumn("first call\noperation", Table::Align::kLeft);
  table.addColumn("\nms p50");
  table.addColumn("\nmax");
  table.addColumn("\nrank");
  table.addColumn("later\nms p50");
  return table;
}

// Returns how many of the calls created nothing, such as " (1 failed)"; "" if
// none.
std::string notCreatedText(const RankTotals& rank) {
  std::vector<std::string> parts;
  if (rank.failed_to_create > 0) {
    parts.push_back(
        absl::StrCat(groupedText(rank.failed_to_create), " failed"));
  }
  if (rank.still_creating > 0) {
    parts.push_back(
        absl::StrCat(groupedText(rank.still_creating), " had not ended"));
  }
  return parts.empty() ? ""
                       : absl::StrCat(" (", absl::StrJoin(parts, ", "), ")");
}

}  // namespace

std::string groupStartText(const Report& report, bool all) {
  const RankTotals* slowest = slowestToStart(report, all);
  if (!slowest) return "";
  std::vector<std::string> parts;
  // Old traces and dumps lack the calls that create groups.
  if (slowest->creating_ns) {
    parts.push_back(absl::StrCat(durationText(*slowest->creating_ns),
                                 " in calls that create groups",
                                 notCreatedText(*slowest)));
  }
  if (slowest->first_calls_ns) {
    parts.push_back(absl::StrCat(durationText(*slowest->first_calls_ns),
                                 " in the first calls of groups"));
  }
  return absl::StrCat("Start of groups: rank ", slowest->rank,
                      " took longest, ", absl::StrJoin(parts, " and "), ".\n");
}

std::string groupStartsText(const Report& report, bool all) {
  if (!slowestToStart(report, all)) return "";
  const std::vector<std::uint32_t> groups = slowestGroups(report);
  const bool has_barrier = std::ranges::any_of(
      report.group_starts,
      [](const GroupStart& start) { return !start.barrier.empty(); });
  const std::size_t shown =
      all ? groups.size() : std::min(groups.size(), kMaxRows);
  Table table = startTable(has_barrier);
  for (std::size_t i = 0; i < shown; ++i) {
    table.addRow(startCells(report, groups[i], has_barrier));
  }
  std::string text = absl::StrCat("\n", table.text());
  if (shown < groups.size()) {
    absl::StrAppend(&text, " ", countOf(groups.size() - shown, "more group"),
                    "; --wide shows them\n");
  }
  return text;
}

}  // namespace traced
