// What a check found, as text, JSON and JUnit XML.

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
  // The file that the budget is from.
  std::string budget_path;
  const TraceSet& set;
  const Budget& budget;
  BudgetResult result;
  // One per row of the budget's structure.
  std::vector<StructureResult> structure;
  RunSummary summary;
  // Why nothing can be said; the run is judged only when there is no reason.
  std::vector<std::string> not_measured;

  bool measured() const { return not_measured.empty(); }
  std::size_t structureOff() const;
  bool met() const { return result.met() && structureOff() == 0; }
};

// "ok", "OVER", "UNDER", "MISSING".
const char* verdictText(Verdict verdict);
// "dp all_reduce bfloat16": what a row, or something new, is about.
std::string subjectText(const BudgetRow& row);
std::string subjectText(const NewUsage& fresh);
std::string subjectText(const StructureRow& row);
// "ranks 0-3, steps 10-49", as far as they are said.
std::string placeText(const FigureResult& figure);
// Where the budget has what is new with another dtype, and misses it: a hint.
std::string hintText(const CheckOutcome& outcome, const NewUsage& fresh);

// Without `all`, a long budget's rows that are met are only counted.
std::string checkText(const CheckOutcome& outcome, bool all);
Json checkJson(const CheckOutcome& outcome);
// A test case per row, one per kind of call that is new, and one that says
// whether the run could be judged at all.
std::string checkJunit(const CheckOutcome& outcome);

}  // namespace traced
