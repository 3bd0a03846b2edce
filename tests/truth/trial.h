// Trial is a program that ran: its truth, and its traces in a folder.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/diagnosis/diagnosis.h"
#include "analysis/report/report.h"
#include "truth/history.h"
#include "truth/program.h"
#include "truth/rank_trace.h"

namespace traced::truth {

// What an answer says, and the truth does not.
struct Lie {
  // Which check found it, and of what: equal for lies of one kind.
  std::string check;
  std::string text;
};
using Lies = std::vector<Lie>;

struct Trial {
  Program program;
  History history;
  std::int64_t cut_at = kNever;
  // By rank.
  std::vector<RankTrace> traces;
  std::vector<bool> has_file;
  // By rank and group: the operations in the order of their numbers.
  std::vector<std::vector<std::vector<std::uint32_t>>> collectives;
  std::string folder;
  std::vector<std::string> files;

  // What a rank did as the seq-th collective of a group; nullptr: nothing.
  const Happened* collective(std::uint32_t rank, std::uint32_t group,
                             std::uint64_t seq) const;
  // The group of the history that a verdict means.
  std::optional<std::uint32_t> groupOf(const JobState& job,
                                       std::uint32_t group) const;
  // A fault took place before the processes were killed.
  bool isFaulty() const { return history.fault_at < cut_at; }
  // Nothing was cut and nothing is missing.
  bool isWhole() const;
};

// Runs the program, and writes its traces below `folder`, which it empties.
Trial perform(const Program& program, const std::string& folder);

// Who the verdicts name.
enum class Naming : std::uint8_t { kNobody, kRight, kWrong };

struct Judgement {
  Lies lies;
  Naming naming = Naming::kNobody;
  // The verdicts, a line each.
  std::string said;
};

// All checks.
Judgement judgeAnswers(const Trial& trial);

// The checks: of verdicts, of the times of a report, and that the same traces
// give the same answers however they are put into files, and exported.
void checkVerdicts(const Trial& trial, const Diagnosis& diagnosis, Lies& lies);
void checkTimes(const Trial& trial, const TraceSet& set, Lies& lies);
void checkTotals(const Trial& trial, const Report& report, Lies& lies);
void checkMerged(const Trial& trial, const TraceSet& set,
                 const Diagnosis& diagnosis, Lies& lies);
void checkExport(const Trial& trial, const TraceSet& set, Lies& lies);

// What `tracectl export` writes of it.
std::string exportedCsv(const TraceSet& set);

}  // namespace traced::truth
