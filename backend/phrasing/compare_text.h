// What a comparison found, in words.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compare/comparison.h"

namespace traced {

// How a name from a trace stands in a text: `printable` on a terminal.
using Quote = std::function<std::string(const std::string&)>;

// One thing that changed.
struct CompareFinding {
  enum class Level { kWorse, kChanged, kBetter };
  Level level = Level::kChanged;
  // A sentence without its full stop.
  std::string text;
  // What it follows from, "" of a reason.
  std::string follows;
  // Where the program calls it, "" where that is not known.
  std::string site;
  // "transfer", "new", ...: what kind of change it is.
  std::string rule;
};

// What exists on one side only comes first, then what became worse, reasons
// before what follows from them, then what became better.
std::vector<CompareFinding> compareFindings(const Comparison& comparison,
                                            const Quote& quote);

// The sentence on top.
std::string compareSentence(const Comparison& comparison, const Quote& quote);
// What would have been found: "a step longer by 4.1 %, ..."; "" where nothing
// is measured.
std::string powerText(const Comparison& comparison, const Quote& quote);

// "became 12 % longer (9.1 to 15 %)", "became 3.1 times as long (...)".
std::string changeText(const Change& change);
// "12" percent, and "3.4" of what is smaller; without its sign.
std::string percentNumber(double part);
// "transfer of NAME", "a step". `unit`: "a step", or "a run" without steps.
std::string partText(RunPart part, const std::string& name, const char* unit);
// A figure of a part: "3.91 ms", "4 MiB", "12".
std::string valueText(RunPart part, double value);
// The name of a key, quoted.
std::string keyText(const std::optional<RunKey>& key, const Quote& quote);

// Rows of the table, worst first.
struct CompareRow {
  const ComparedKey* key = nullptr;
  const Change* change = nullptr;
};
std::vector<CompareRow> compareRows(const Comparison& comparison);

// "own call", "wait for peers".
const char* wordsOf(RunPart part);
// "all_reduce 4-8 MiB float32 on dp".
std::string nameOf(const RunKey& key);
// "transfer of all_reduce 4-8 MiB float32 on dp"; "other operations"; "" of
// none.
std::string causeText(const std::optional<Cause>& cause);

// A sentence for each, without its full stop.
std::vector<std::string> remarkTexts(const Comparison& comparison,
                                     const std::vector<Remark>& remarks);
// Why the comparison has no verdict, or its runs are no measure.
std::vector<std::string> reasonTexts(const Comparison& comparison);
// Of two runs that are one: "ab/a-1 and ab/a-2 are the same run".
std::string sameRunText(const std::pair<std::string, std::string>& names);

}  // namespace traced
