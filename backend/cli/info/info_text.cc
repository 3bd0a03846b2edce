#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analysis/stream/names.h"
#include "cli/common/heading.h"
#include "cli/common/table.h"
#include "cli/info/info.h"
#include "phrasing/diagnosis_text.h"
#include "phrasing/text.h"
#include "ring_io/settings/options.h"

namespace traced {
namespace {

using Align = Table::Align;

std::string ownTimeText(const OwnCost& cost) {
  return cost.known() ? threeDigits(cost.perOperationNs()) : "-";
}

std::string ownCostText(const OwnCost& cost) {
  if (!cost.known()) return "";
  return absl::StrFormat(
      "\nThis trace cost %.2f us per operation, %.3f %% of the run (%s).\n",
      cost.perOperationNs() / 1e3, cost.shareOfRun() * 100,
      countOf(cost.samples, "sample"));
}

// Returns the proven losses, and whether more may be missing.
std::string missingText(const StreamTable& rank) {
  std::string proven = groupedText(rank.missing());
  if (rank.endKnown()) return proven;
  return rank.missing() == 0 ? "unknown" : ">= " + proven;
}

const char* endText(const StreamTable& rank) {
  if (rank.snapshot) return "dump";
  if (rank.closed) return "yes";
  if (rank.stillRunning()) return "running";
  return rank.accounts.recovered() ? "recovered" : "no";
}

// Returns, for example, "ring_full 12, issue_lost 34".
std::string reasonsText(const v1::ThreadDrops& thread) {
  std::string text;
  for (const v1::Drop& drop : thread.drop()) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", nameOf(drop.reason()), " ",
                    groupedText(drop.records()));
  }
  return text;
}

bool anySteps(const RunInfo& info) {
  return std::any_of(info.ranks.begin(), info.ranks.end(),
                     [](const RunInfo::Rank& rank) {
                       return !rank.table.marks.steps().empty();
                     });
}

// Returns the number of steps with the first and last: "100 (0-99)".
std::string stepsText(const Marks& marks) {
  const auto& steps = marks.steps();
  if (steps.empty()) return "-";
  return absl::StrCat(groupedText(steps.size()), " (", steps.front().number,
                      "-", steps.back().number, ")");
}

// Returns the count and total duration: "2, 3.100 s".
std::string pausesText(const Marks& marks) {
  if (marks.pauses().empty()) return "-";
  return absl::StrCat(groupedText(marks.pauses().size()), ", ",
                      durationText(marks.pausedNs()));
}

// Optional columns, shown only if a rank has a value.
struct RankColumns {
  bool steps = false;
  bool pauses = false;
  bool left_out = false;
};

Table makeRanksTable(RankColumns columns) {
  Table table;
  table.addColumn("rank");
  table.addColumn("host", Align::kLeft);
  table.addColumn("pid");
  table.addColumn("operations");
  table.addColumn("records\nproduced");
  table.addColumn("\ndropped");
  table.addColumn("\nstored");
  table.addColumn("\nfound");
  table.addColumn("\nmissing");
  table.addColumn("closed", Align::kLeft);
  table.addColumn("own time\nns per op");
  if (columns.steps) table.addColumn("steps");
  if (columns.pauses) table.addColumn("switched\noff");
  if (columns.left_out) table.addColumn("left out\nby scope");
  return table;
}

std::vector<std::string> rankCells(const RunInfo::Rank& info,
                                   RankColumns columns) {
  const StreamTable& rank = info.table;
  std::vector<std::string> cells = {
      absl::StrCat(rank.header.rank()),
      rank.snapshot ? "-" : printable(rank.header.host()),
      rank.snapshot ? "-" : absl::StrCat(rank.header.pid()),
      groupedText(info.operations),
      groupedText(rank.accounts.produced()),
      groupedText(rank.dropped()),
      groupedText(rank.accounts.stored()),
      groupedText(rank.rows_found),
      missingText(rank),
      endText(rank),
      ownTimeText(info.own_cost)};
  if (columns.steps) cells.push_back(stepsText(rank.marks));
  if (columns.pauses) cells.push_back(pausesText(rank.marks));
  if (columns.left_out) {
    cells.push_back(groupedText(rank.accounts.left_out()));
  }
  return cells;
}

std::string ranksText(const RunInfo& info, std::size_t max_ranks) {
  const RankColumns columns{anySteps(info), info.summary.pauses().count > 0,
                            info.summary.leftOut().operations > 0};
  Table table = makeRanksTable(columns);
  const std::size_t shown = std::min(max_ranks, info.ranks.size());
  for (std::size_t i = 0; i < shown; ++i) {
    table.addRow(rankCells(info.ranks[i], columns));
  }
  std::string text = table.text();
  if (shown < info.ranks.size()) {
    absl::StrAppend(&text, " ", countOf(info.ranks.size() - shown, "more rank"),
                    "; --all shows them\n");
  }
  return text;
}

// Returns a table of drops per thread; "" if nothing was dropped.
std::string threadDropsText(const RunInfo& info) {
  Table table;
  table.addColumn("rank");
  table.addColumn("thread", Align::kLeft);
  table.addColumn("tid");
  table.addColumn("dropped", Align::kLeft);
  bool any = false;
  for (const RunInfo::Rank& rank : info.ranks) {
    for (const v1::ThreadDrops& thread : rank.table.accounts.thread_drops()) {
      any = true;
      const bool known = thread.tid() != 0;
      table.addRow({absl::StrCat(rank.table.header.rank()),
                    known ? printable(thread.name()) : "others",
                    known ? absl::StrCat(thread.tid()) : "-",
                    reasonsText(thread)});
    }
  }
  return any ? "\n" + table.text() : "";
}

// Returns the backend, with its class if that is not torch's own: "ucc
// (acme::Backend)".
std::string backendText(const JobGroup& group) {
  std::string text = printable(group.backend);
  if (group.backend_class.empty()) return text;
  return absl::StrCat(text, " (", printable(group.backend_class), ")");
}

std::string groupsText(const GroupCatalog& groups) {
  if (groups.groups().empty()) return "";
  Table table;
  table.addColumn("group", Align::kLeft);
  table.addColumn("name", Align::kLeft);
  table.addColumn("backend", Align::kLeft);
  table.addColumn("leg", Align::kLeft);
  table.addColumn("size");
  table.addColumn("nth");
  table.addColumn("ranks", Align::kLeft);
  const auto& all = groups.groups();
  const bool scoped =
      std::any_of(all.begin(), all.end(),
                  [](const JobGroup& group) { return group.left_out; });
  if (scoped) table.addColumn("recorded", Align::kLeft);
  for (const JobGroup& group : all) {
    const bool known = group.members.size() > 0;
    std::vector<std::string> cells = {
        printable(group.label),
        printable(group.name),
        backendText(group),
        printable(group.leg),
        known ? groupedText(group.members.size()) : "-",
        absl::StrCat(group.nth),
        known ? group.members.text() : "-"};
    if (scoped) cells.push_back(group.left_out ? "left out" : "yes");
    table.addRow(std::move(cells));
  }
  const auto any = [](std::uint32_t) { return true; };
  return absl::StrCat("\n", table.text(),
                      groupsOfOneText(groupsOfOne(groups, any)));
}

// Returns who wrote the streams: Flight Recorder, or a job with its traced and
// Python versions.
std::string writerText(const RunInfo& info) {
  if (info.summary.fromDumps()) {
    return "by PyTorch's Flight Recorder, on the hosts' wall clocks: no "
           "returns "
           "and no waits; ends where one was discovered";
  }
  const v1::Header& header = info.ranks[0].table.header;
  return absl::StrCat("job \"", header.job(), "\", attempt ", header.attempt(),
                      ", traced ", header.traced_version(), ", Python ",
                      header.python_version());
}

std::string linesDroppedText(const RunInfo& info) {
  std::uint64_t lines = 0;
  for (const RunInfo::Rank& rank : info.ranks) {
    lines += rank.table.accounts.lines_dropped();
  }
  if (lines == 0) return "";
  return absl::StrCat(
      "\n", countOf(lines, "line"),
      " of TRACED_PRINT dropped, as stderr did not take them\n");
}

std::string deviceTimes(const RunSummary& summary) {
  const std::string text = deviceTimesText(summary.deviceTimes());
  return text.empty() ? text : "\n" + text;
}

using TextMap = google::protobuf::Map<std::string, std::string>;

// Returns the entries of a map that all ranks share and that differ from the
// defaults. The JSON has the rest.
std::string commonText(const RunInfo& info, const char* title,
                       const TextMap& (v1::Header::*get)() const,
                       const std::map<std::string, std::string>& usually = {}) {
  std::map<std::string, std::string> common;
  bool differs = false;
  for (const auto& [key, value] : (info.ranks[0].table.header.*get)()) {
    common[key] = value;
  }
  for (const RunInfo::Rank& rank : info.ranks) {
    const TextMap& own = (rank.table.header.*get)();
    for (auto& [key, value] : common) {
      const auto found = own.find(key);
      if (found != own.end() && found->second == value) continue;
      value = "(differs between ranks)";
      differs = true;
    }
  }
  std::string text;
  for (const auto& [key, value] : common) {
    const auto usual = usually.find(key);
    if (usual != usually.end() && usual->second == value) continue;
    absl::StrAppend(&text, " ", printable(key), "=", printable(value), "\n");
  }
  if (text.empty()) return "";
  return absl::StrCat("\n", title, differs ? ", per rank in --json:\n" : ":\n",
                      text);
}

// Returns the default settings. The default trigger file is in the folder of
// the job.
std::map<std::string, std::string> usualSettings(const v1::Header& header) {
  Options usual;
  auto settings = usual.asSettings();
  const auto folder = header.settings().find("TRACED_DIR");
  if (folder != header.settings().end()) usual.directory = folder->second;
  usual.job = header.job();
  settings["TRACED_TRIGGER"] = usual.triggerPath();
  return settings;
}

}  // namespace

std::string infoText(const std::string& title, const TraceSet& set,
                     const RunInfo& info, std::size_t max_ranks) {
  return absl::StrCat(
      headingText(title, set, info.summary), printable(writerText(info)),
      "\n\n", ranksText(info, max_ranks), threadDropsText(info),
      ownCostText(info.own_cost), deviceTimes(info.summary),
      linesDroppedText(info), groupsText(info.groups),
      commonText(info, "libraries", &v1::Header::library_versions),
      commonText(info, "labels", &v1::Header::labels),
      commonText(info, "settings that are not the default",
                 &v1::Header::settings,
                 usualSettings(info.ranks[0].table.header)));
}

}  // namespace traced
