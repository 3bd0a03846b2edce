// Writes the result of a check as text, JSON and JUnit XML.

#pragma once

#include <string>
#include <vector>

#include "analysis/budget/budget.h"
#include "analysis/budget/budget_check.h"
#include "analysis/job/run_summary.h"
#include "analysis/reading/trace_set.h"
#include "cli/common/json.h"

namespace traced {

struct CheckOutcome {
  std::string title;
  // Path of the budget file.
  std::string budget_path;
  const TraceSet& set;
  const Budget& budget;
  BudgetResult result;
  // One per row of the budget's structure.
  std::vector<StructureResult> structure;
  RunSummary summary;
  // Why the run cannot be judged; empty if it was judged.
  std::vector<std::string> not_measured;

  bool measured() const { return not_measured.empty(); }
  // Returns how many rows of the structure have differences.
  std::size_t structureOff() const;
  bool met() const { return result.met() && structureOff() == 0; }
};

// Returns "ok", "OVER", "UNDER" or "MISSING".
const char* verdictText(Verdict verdict);
// Returns the subject of a row or of a new kind of call: "dp all_reduce
// bfloat16".
std::string subjectText(const BudgetRow& row);
std::string subjectText(const NewUsage& fresh);
std::string subjectText(const StructureRow& row);
// Returns the first deviation and how many more follow: "rank 3 step 10 and 4
// more of 40"; "" without one.
std::string placeText(const FigureResult& figure);
// Returns a hint if the budget has the same calls with another dtype and the
// run lacks those; otherwise "".
std::string hintText(const CheckOutcome& outcome, const NewUsage& fresh);

// Returns the result as text. Without `all`, a long budget's rows that are met
// are only counted.
std::string checkText(const CheckOutcome& outcome, bool all);
Json checkJson(const CheckOutcome& outcome);
// Returns one test case per row, one per new kind of call, and one for whether
// the run could be judged.
std::string checkJunit(const CheckOutcome& outcome);

}  // namespace traced
