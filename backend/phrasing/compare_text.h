// Sentences and table rows for the results of a comparison.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compare/comparison.h"

namespace traced {

// Escapes a name from a trace for the output format: `printable` for a
// terminal.
using Quote = std::function<std::string(const std::string&)>;

// One change between the two sides.
struct CompareFinding {
  enum class Level { kWorse, kChanged, kBetter };
  Level level = Level::kChanged;
  // A sentence without its full stop.
  std::string text;
  // The cause of this change; "" if the change is itself a cause.
  std::string follows;
  // The call site in the program; "" if it is unknown.
  std::string site;
  // The kind of change: "transfer", "new", ...
  std::string rule;
};

// Returns all findings; none without a verdict. The order is: operations of one
// side only, causes of a slowdown, their consequences, improvements.
std::vector<CompareFinding> compareFindings(const Comparison& comparison,
                                            const Quote& quote);

// Returns the headline sentence.
std::string compareSentence(const Comparison& comparison, const Quote& quote);
// Returns which changes the comparison would find in 9 of 10 cases: "... a step
// that is 4.1 % longer would be found; ...". Returns "" without a verdict, with
// too few runs, or without measured times.
std::string powerText(const Comparison& comparison, const Quote& quote);

// Returns the change in words: "became 12 % longer (9.1 to 15 %)", "became 3.1
// times as long (...)".
std::string changeText(const Change& change);
// Returns the absolute percentage of `part`, a fraction: "12". Values below 10
// have one decimal: "3.4".
std::string percentNumber(double part);
// Returns, for example, "transfer of NAME" or "a step". `unit` is "a step", or
// "a run" if the runs have no steps.
std::string partText(RunPart part, const std::string& name, const char* unit);
// Returns a value in the unit of its part: "3.91 ms", "4 MiB", "12".
std::string valueText(RunPart part, double value);
// Returns the quoted name of a key.
std::string keyText(const std::optional<RunKey>& key, const Quote& quote);

// One row of the table. Points into the Comparison, which must outlive it.
struct CompareRow {
  const ComparedKey* key = nullptr;
  const Change* change = nullptr;
};
// Returns the rows of the table, worst first.
std::vector<CompareRow> compareRows(const Comparison& comparison);

// Returns the name of a part: "own call", "wait for peers".
const char* wordsOf(RunPart part);
// Returns the name of a key: "all_reduce 4-8 MiB float32 on dp".
std::string nameOf(const RunKey& key);
// Returns the cause in words: "transfer of all_reduce 4-8 MiB float32 on dp" or
// "other operations"; "" for none.
std::string causeText(const std::optional<Cause>& cause);

// Returns one sentence per remark, without its full stop.
std::vector<std::string> remarkTexts(const Comparison& comparison,
                                     const std::vector<Remark>& remarks);
// Returns why the comparison has no verdict, or why its runs cannot be
// measured.
std::vector<std::string> reasonTexts(const Comparison& comparison);
// Returns, for example, "ab/a-1 and ab/a-2 are the same run".
std::string sameRunText(const std::pair<std::string, std::string>& names);

}  // namespace traced
