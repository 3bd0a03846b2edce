// Writes a Diagnosis as text and as JSON.

#pragma once

#include <string>
#include <vector>

#include "analysis/diagnosis/diagnosis.h"
#include "analysis/reading/trace_set.h"
#include "cli/common/json.h"
#include "phrasing/text.h"

namespace traced {

struct DiagnoseTextOptions {
  // Verdicts beyond this number are only counted. Without `all`, verdicts after
  // the first are cut to their first line and the ranks to 8 lines. With `all`,
  // ranks have at most `max_ranks` lines.
  std::size_t max_verdicts = 6;
  std::size_t max_ranks = 16;
  bool all = false;
  // Width of the text in columns.
  std::size_t columns = kScreenColumns;
  // Prints the first verdict in red.
  bool colours = false;
  // Arguments that name the same run in other commands: "run42 --attempt 0".
  std::string inputs;
  // Note after these commands; may be empty.
  std::string inputs_note;
  // Adds the verdict names of the stock Flight Recorder analyzer.
  bool stock_names = false;
};

// Returns the diagnosis for people. `title` names the inputs.
std::string diagnoseText(const std::string& title, const TraceSet& set,
                         const Diagnosis& diagnosis,
                         const DiagnoseTextOptions& options);

// Returns all verdicts; see docs/reference/json.md.
Json diagnoseJson(const std::string& title, const TraceSet& set,
                  const Diagnosis& diagnosis, bool stock_names);

// Return parts of it: one verdict, and the state of each rank.
Json verdictJson(const JobState& job, const JobVerdict& verdict,
                 bool stock_names);
Json ranksJson(const JobState& job);
Json standingJson(const ThreadStanding& standing);

// The name that the stock analyzer (torchfrtrace) gives to a job without
// findings. See also VerdictTraits::stock_name.
inline constexpr char kStockHealthy[] = "FULLY_MATCHED";

// Returns lines with the places where the ranks' threads were, rarest first.
// Returns "" if fewer than `min_places` were sampled.
std::string standingLines(const JobState& job, std::size_t min_places,
                          std::size_t max_places, std::size_t columns);

// Returns the position of each rank at the end of its trace. Ranks that agree
// share a line. `columns` is the width of the text.
std::string whereTable(const Diagnosis& diagnosis, std::size_t max_ranks,
                       std::size_t columns);

}  // namespace traced
