#include "truth/trial.h"

#include <algorithm>
#include <filesystem>

#include "analysis/job/group_catalog.h"
#include "analysis/reading/trace_set.h"
#include "phrasing/verdict_text.h"
#include "support/write_file.h"
#include "truth/simulate.h"

namespace traced::truth {
namespace {

std::string fileName(const Program& program, std::uint32_t rank,
                     const char* run) {
  return "/" + std::string(run) + "/node-" +
         std::to_string(program.hostOf(rank)) + "/rank-" +
         std::to_string(rank) + ".traced";
}

bool isMissing(const Program& program, std::uint32_t rank) {
  const Variation& variation = program.variation;
  const std::uint32_t place =
      (rank + program.world - variation.missing_from % program.world) %
      program.world;
  return place < std::min(variation.missing, program.world - 1);
}

// Writes an older run of the same name and size, with other steps and all its
// files.
void writeOlder(const Program& program, const std::string& folder) {
  Program older = program;
  older.seed += 1;
  older.fault = {};
  older.variation = {};
  for (Item& item : older.items) item.elements += 3;
  const History history = simulate(older);
  for (std::uint32_t rank = 0; rank < older.world; ++rank) {
    const RankTrace trace = writeRank(older, history, rank, kNever, 3600);
    testing::writeFile(folder + fileName(older, rank, "older"), trace.bytes);
  }
}

// Checks that the selection includes every rank of the newest run.
void checkSelection(const Trial& trial, const TraceSet& set, Lies& lies) {
  std::vector<bool> is_there(trial.program.world);
  for (const std::size_t i : set.selected) {
    is_there[set.streams[i].header.rank()] = true;
  }
  for (std::uint32_t rank = 0; rank < trial.program.world; ++rank) {
    if (!trial.has_file[rank] || is_there[rank]) continue;
    lies.push_back({"a rank of the newest run is left out",
                    "rank " + std::to_string(rank)});
    return;
  }
}

void index(Trial& trial) {
  for (const RankHistory& rank : trial.history.ranks) {
    auto& groups = trial.collectives.emplace_back();
    groups.resize(trial.history.groups.size());
    for (std::uint32_t i = 0; i < rank.operations.size(); ++i) {
      const Called& call = rank.operations[i].call;
      if (call.peer_plus_1 == 0) groups[call.group].push_back(i);
    }
  }
}

}  // namespace

const Happened* Trial::collective(std::uint32_t rank, std::uint32_t group,
                                  std::uint64_t seq) const {
  const auto& numbered = collectives[rank][group];
  if (seq == 0 || seq > numbered.size()) return nullptr;
  return &history.ranks[rank].operations[numbered[seq - 1]];
}

std::optional<std::uint32_t> Trial::groupOf(const JobState& job,
                                            std::uint32_t group) const {
  if (group == GroupCatalog::kNone) return std::nullopt;
  const JobGroup& known = job.catalog.groups()[group];
  std::uint32_t nth = 0;
  for (std::uint32_t i = 0; i < history.groups.size(); ++i) {
    const Ranks& members = history.groups[i].members;
    const bool same =
        known.members.size() == members.size() &&
        std::all_of(members.begin(), members.end(),
                    [&](auto each) { return known.members.contains(each); });
    if (!same) continue;
    if (nth++ == known.nth) return i;
  }
  return std::nullopt;
}

bool Trial::isWhole() const {
  if (!program.variation.isWhole()) return false;
  return std::all_of(traces.begin(), traces.end(), [](const RankTrace& trace) {
    return trace.is_whole && !trace.bytes.empty();
  });
}

Trial perform(const Program& program, const std::string& folder) {
  Trial trial{program, simulate(program), kNever, {}, {}, {}, folder, {}};
  index(trial);
  std::filesystem::remove_all(folder);
  const std::uint32_t percent = program.variation.killed_at_percent;
  if (percent > 0) trial.cut_at = trial.history.end / 100 * percent;
  if (program.variation.beside_older) writeOlder(program, folder);
  for (std::uint32_t rank = 0; rank < program.world; ++rank) {
    trial.traces.push_back(
        writeRank(program, trial.history, rank, trial.cut_at, 0));
    const std::string& bytes = trial.traces.back().bytes;
    trial.has_file.push_back(!bytes.empty() && !isMissing(program, rank));
    if (!trial.has_file.back()) continue;
    trial.files.push_back(
        testing::writeFile(folder + fileName(program, rank, "run"), bytes));
  }
  return trial;
}

Judgement judgeAnswers(const Trial& trial) {
  Judgement judgement;
  if (trial.files.empty()) return judgement;
  const std::vector<std::string> paths = {trial.folder};
  const Result<TraceSet> set = openTraceSet(paths);
  if (!set) {
    judgement.lies.push_back({"unreadable", set.error().message});
    return judgement;
  }
  checkSelection(trial, *set, judgement.lies);
  const Diagnosis diagnosis = diagnose(*set, {});
  for (const JobVerdict& verdict : diagnosis.verdicts) {
    judgement.text += std::string("  verdict: ") + nameOf(verdict.kind) + ": " +
                      summaryOf(diagnosis.job, verdict) + " Culprits:";
    for (const std::uint32_t rank : verdict.culprits) {
      judgement.text += " " + std::to_string(rank);
    }
    judgement.text += std::string(", ") + nameOf(verdict.culprit) + ".\n";
  }
  checkVerdicts(trial, diagnosis, judgement.lies);
  checkTimes(trial, *set, judgement.lies);
  if (trial.program.variation.merged) {
    checkMerged(trial, *set, diagnosis, judgement.lies);
    checkExport(trial, *set, judgement.lies);
  }
  if (!trial.isFaulty()) return judgement;
  const Ranks planted = plantedRanks(trial.program, unroll(trial.program));
  for (const std::uint32_t rank : diagnosis.culprits) {
    const bool right =
        std::find(planted.begin(), planted.end(), rank) != planted.end();
    if (right) judgement.naming = Naming::kRight;
    if (!right && judgement.naming == Naming::kNobody) {
      judgement.naming = Naming::kWrong;
    }
  }
  return judgement;
}

}  // namespace traced::truth
