// A Diagnosis as text and as JSON.

#pragma once

#include <string>
#include <vector>

#include "analysis/diagnosis/diagnosis.h"
#include "analysis/reading/trace_set.h"
#include "cli/common/json.h"
#include "phrasing/text.h"

namespace traced {

struct DiagnoseTextOptions {
  // Verdicts beyond these are only mentioned, and of all but the first only
  // their first lines are told; `all` tells everything, with so many lines of
  // ranks.
  std::size_t max_verdicts = 6;
  std::size_t max_ranks = 16;
  bool all = false;
  // Width of the text.
  std::size_t columns = kScreenColumns;
  // The first verdict is red.
  bool colours = false;
  // Names the same run in other commands: "run42 --attempt 0".
  std::string inputs;
  // Follows these commands; may be empty.
  std::string inputs_note;
  // The verdict names of the stock analyzer of Flight Recorder dumps, too.
  bool stock_names = false;
};

std::string diagnoseText(const std::string& title, const TraceSet& set,
                         const Diagnosis& diagnosis,
                         const DiagnoseTextOptions& options);

// All verdicts; see docs/reference/json.md.
Json diagnoseJson(const std::string& title, const TraceSet& set,
                  const Diagnosis& diagnosis, bool stock_names);

// Parts of it: one verdict, and where each rank was.
Json verdictJson(const JobState& job, const JobVerdict& verdict,
                 bool stock_names);
Json ranksJson(const JobState& job);

// What the stock analyzer (torchfrtrace) calls a job without findings; see also
// VerdictTraits::stock_name.
inline constexpr char kStockHealthy[] = "FULLY_MATCHED";

// Where each rank was when its trace ended: a line for ranks that agree, in
// `columns` columns.
std::string whereTable(const Diagnosis& diagnosis, std::size_t max_ranks,
                       std::size_t columns);

}  // namespace traced
