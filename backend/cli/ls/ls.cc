#include <ctime>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analysis/runs/run_list.h"
#include "analysis/stream/rank_list.h"
#include "cli/common/json.h"
#include "cli/common/subcommand.h"
#include "cli/common/table.h"
#include "cli/common/terminal.h"
#include "cli/inputs/inputs.h"
#include "phrasing/end_text.h"
#include "phrasing/text.h"

namespace traced {
namespace {

constexpr std::int64_t kNsOfASecond = 1'000'000'000;

// Returns, for example, "2026-11-22 09:11:53" in the local time zone of this
// command.
std::string localTime(std::int64_t realtime_ns) {
  const std::time_t seconds = realtime_ns / kNsOfASecond;
  std::tm parts{};
  if (!localtime_r(&seconds, &parts)) return "-";
  return absl::StrFormat("%04d-%02d-%02d %02d:%02d:%02d", parts.tm_year + 1900,
                         parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
                         parts.tm_min, parts.tm_sec);
}

std::string ranksText(const ListedRun& run) {
  return run.ranks.size() == run.world_size
             ? absl::StrCat(run.world_size)
             : absl::StrCat(run.ranks.size(), " of ", run.world_size);
}

std::vector<std::uint32_t> rankNumbers(const ListedRun& run) {
  std::vector<std::uint32_t> ranks;
  for (const ListedRank& rank : run.ranks) ranks.push_back(rank.rank);
  return ranks;
}

std::uint64_t lengthOf(const ListedRun& run) {
  return static_cast<std::uint64_t>(run.last_ns) -
         static_cast<std::uint64_t>(run.started_ns);
}

std::string listText(const RunList& list) {
  Table table;
  table.addColumn("started", Table::Align::kLeft);
  table.addColumn("job", Table::Align::kLeft);
  table.addColumn("attempt");
  table.addColumn("ranks");
  table.addColumn("length");
  table.addColumn("folder", Table::Align::kLeft);
  table.addColumn("how it ended", Table::Align::kLeft, Table::Cut::kEnd);
  for (const ListedRun& run : list.runs) {
    table.addRow({localTime(run.started_ns), printable(run.job),
                  absl::StrCat(run.attempt), ranksText(run),
                  durationText(lengthOf(run)), printable(run.folder),
                  printable(endText(run))});
  }
  table.fit(screenColumns(), {});
  return list.runs.empty() ? "No runs.\n" : table.text(wantsColours());
}

Json rankJson(const ListedRank& rank) {
  Json json = {{"rank", rank.rank},
               {"running", rank.running},
               {"how", nameOf(rank.end.kind)}};
  setIf(json, "exit_code", rank.end.exit_code);
  if (rank.end.signal) json["signal"] = signalName(rank.end.signal);
  if (rank.end.oom_killed) json["oom_killed"] = true;
  if (!rank.end.exception.empty()) json["exception"] = rank.end.exception;
  return json;
}

Json runJson(const ListedRun& run) {
  Json ranks = Json::array();
  for (const ListedRank& rank : run.ranks) ranks.push_back(rankJson(rank));
  return {{"job", run.job},
          {"attempt", run.attempt},
          {"world_size", run.world_size},
          {"ranks_found",
           RankList::fromRanks(rankNumbers(run)).text(run.ranks.size() + 1)},
          {"started_realtime_ns", run.started_ns},
          {"run_ns", lengthOf(run)},
          {"ended", endText(run)},
          {"folder", run.folder},
          {"files", run.files},
          {"ranks", std::move(ranks)}};
}

class Ls : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    inputs_.declare(app);
    inputs_.declareJson(app);
    app.footer("Example: tracectl ls traces/");
  }

  ExitCode run() override {
    Result<TraceSet> set = inputs_.open();
    if (!set) return ExitCode::kNothingReadable;
    const RunList list = listRuns(*set);
    if (inputs_.json()) {
      writeJson(std::cout, listJson(*set, list));
      std::cout << "\n";
    } else {
      std::cout << listText(list);
    }
    std::cout.flush();
    if (list.dumps > 0) {
      std::cerr << "tracectl: note: "
                << countOf(list.dumps, "Flight Recorder dump")
                << ", which do not name their run\n";
    }
    return inputs_.conclude(warningsOf(*set, list));
  }

 private:
  static std::vector<std::string> warningsOf(const TraceSet& set,
                                             const RunList& list) {
    std::vector<std::string> warnings = set.input_warnings;
    if (list.unknown_schema > 0) {
      warnings.push_back(
          absl::StrCat("left out ", countOf(list.unknown_schema, "stream"),
                       " whose schema this version does not know"));
    }
    return warnings;
  }

  Json listJson(const TraceSet& set, const RunList& list) const {
    Json runs = Json::array();
    for (const ListedRun& run : list.runs) runs.push_back(runJson(run));
    return {{"schema", kJsonSchema},
            {"title", inputs_.title()},
            {"warnings", warningsOf(set, list)},
            {"dumps", list.dumps},
            {"runs", std::move(runs)}};
  }

  Inputs inputs_;
};

}  // namespace

std::unique_ptr<Subcommand> makeLs() { return std::make_unique<Ls>(); }

}  // namespace traced
