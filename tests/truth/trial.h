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

// A wrong answer: a statement that contradicts the truth.
struct Lie {
  // The check that found it and its subject. Equal for wrong answers of one
  // kind.
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

  // Returns what a rank called as the seq-th collective of a group; nullptr if
  // nothing.
  const Happened* collective(std::uint32_t rank, std::uint32_t group,
                             std::uint64_t seq) const;
  // Returns the group of the history that a verdict refers to.
  std::optional<std::uint32_t> groupOf(const JobState& job,
                                       std::uint32_t group) const;
  // Returns whether the fault took effect before the processes were killed.
  bool isFaulty() const { return history.fault_at < cut_at; }
  // Returns whether no trace is cut or missing.
  bool isWhole() const;
};

// Runs the program and writes its traces to `folder`, which is emptied first.
Trial perform(const Program& program, const std::string& folder);

// Which ranks the verdicts name.
enum class Naming : std::uint8_t { kNobody, kRight, kWrong };

struct Judgement {
  Lies lies;
  Naming naming = Naming::kNobody;
  // The verdicts, one per line.
  std::string text;
};

// Runs all checks.
Judgement judgeAnswers(const Trial& trial);

// Each check appends the wrong answers that it finds. checkMerged() checks that
// the answers and the export do not depend on how traces are split into files.
void checkVerdicts(const Trial& trial, const Diagnosis& diagnosis, Lies& lies);
void checkTimes(const Trial& trial, const TraceSet& set, Lies& lies);
void checkTotals(const Trial& trial, const Report& report, Lies& lies);
void checkMerged(const Trial& trial, const TraceSet& set,
                 const Diagnosis& diagnosis, Lies& lies);
void checkExport(const Trial& trial, const TraceSet& set, Lies& lies);

// Returns the program without other faults and losses, and with one rank that
// computes longer, once or in each step.
Program withDelay(Program program);

// How an answer compares with what a delay cost, as parts of the run.
struct WhatIfTruth {
  // Whether tracectl whatif answered for the rank with the delay.
  bool answered = false;
  double saves = 0;
  double off = 0;
  double width = 0;
  double replay_error = 0;
};
WhatIfTruth checkWhatIf(const Trial& trial, const TraceSet& set, Lies& lies);

// Returns what `tracectl export` writes as CSV.
std::string exportedCsv(const TraceSet& set);

}  // namespace traced::truth
