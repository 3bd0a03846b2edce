// What became of the series of a history, as people and programs read it.

#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "analysis/history/history_verdict.h"
#include "cli/common/json.h"
#include "cli/compare/compare_output.h"

namespace traced {

struct HistoryOutput {
  std::string file;
  const History& history;
  const HistoryVerdict& verdict;
  // Only keys whose name has this in it; "" for all.
  std::string key;
  // What is old, or has not changed, too.
  bool all = false;
};

// "regression", "no_regression", "not_measured".
const char* verdictNameOf(const HistoryVerdict& verdict);

// The series that are shown and are news, worst first: reasons for the worse,
// what follows from them, what else changed.
std::vector<const JudgedSeries*> newsOf(const HistoryOutput& output);
// Whether the key is one of those that are shown.
bool isShown(const HistoryOutput& output, std::size_t key);
// The name of a key of the history, quoted.
std::string keyTextOf(const HistoryOutput& output, std::size_t key,
                      const Quote& quote);

// The latest run that is compared, and what its steps are called.
const HistoryRun& latestRun(const HistoryOutput& output);
const char* unitOfRun(const HistoryOutput& output);

// "with abc123 (2026-11-20 02:00), 6 runs ago, where torch went from 2.11.0 to
// 2.15.0".
std::string sinceText(const HistoryOutput& output, std::uint32_t run,
                      const Quote& quote);
// "2026-11-20 02:00", of UTC; "-" where it is not known.
std::string dateText(const HistoryRun& run);

// Of each that is told: sentences without their full stop, in their order.
std::vector<std::string> historyFindings(const HistoryOutput& output,
                                         const Quote& quote);
// The sentence on top.
std::string historySentence(const HistoryOutput& output, const Quote& quote);
// "1000 runs, 2026-03-01 to 2026-11-25; 4 ranks, steps 0-10; ...".
std::string historyHeading(const HistoryOutput& output);
// What would have been found; "" where nothing varies.
std::string historyPower(const HistoryOutput& output, const Quote& quote);

std::string historyText(const HistoryOutput& output);
Json historyJson(const HistoryOutput& output);
std::string historyMarkdown(const HistoryOutput& output);
void writeHistoryPage(std::ostream& out, const HistoryOutput& output);

}  // namespace traced
