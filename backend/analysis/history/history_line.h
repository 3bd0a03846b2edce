// A line of a history: one run, measured. docs/history.md has its fields.

#pragma once

#include <map>
#include <string>
#include <string_view>

#include "analysis/compare/run_figures.h"
#include "analysis/history/history.h"
#include "base/result.h"

namespace traced {

inline constexpr int kHistorySchema = 1;

struct HistoryLine {
  HistoryRun run;
  std::map<RunKey, KeyFigures> keys;
  PartValues total;
};

// Of a run without gaps. Ends in a newline.
std::string historyLine(const RunFigures& run, const std::string& label);

// What a run is known by in a history.
std::string historyId(const RunFigures& run);
// The id of a line, from its beginning alone; "" of what does not begin as our
// lines do.
std::string_view idOfLine(std::string_view line);

// `line`: hostile, without its newline. The error says what is wrong with it.
Result<HistoryLine> parseHistoryLine(std::string_view line);

}  // namespace traced
