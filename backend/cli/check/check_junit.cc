#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/stream/rank_list.h"
#include "cli/check/check_output.h"
#include "cli/common/ci_output.h"
#include "phrasing/budget_text.h"

namespace traced {
namespace {

std::string figureText(const char* name, const BudgetRow& row,
                       const std::optional<FigureResult>& figure) {
  if (!figure || figure->verdict == Verdict::kOk) return "";
  const std::string measured =
      figure->least >= figure->most
          ? absl::StrCat(figure->most)
          : absl::StrCat(figure->least, " to ", figure->most);
  return absl::StrCat(name, row.per_step ? "/step" : "", " ",
                      verdictText(figure->verdict), ": budget ", figure->budget,
                      ", measured ", measured, " (", placeText(*figure), ")");
}

JunitCase rowCase(const BudgetRow& row, const RowResult& result) {
  JunitCase test{absl::StrCat(subjectText(row), " (line ", row.line, ")"), "",
                 ""};
  std::vector<std::string> off;
  for (std::string words : {figureText("count", row, result.count),
                            figureText("bytes", row, result.bytes)}) {
    if (!words.empty()) off.push_back(std::move(words));
  }
  if (!off.empty()) test.outcome = "failure";
  test.message = absl::StrJoin(off, "; ");
  return test;
}

JunitCase newCase(const NewUsage& fresh) {
  return {subjectText(fresh), "failure",
          absl::StrCat("NEW, not in the budget: up to ", fresh.most.count,
                       " calls and ", fresh.most.bytes, " bytes",
                       fresh.steps.all() ? "" : " in a step", " on ranks ",
                       RankList::fromRanks(fresh.ranks).text())};
}

std::vector<JunitCase> testCases(const CheckOutcome& outcome) {
  std::vector<JunitCase> tests;
  JunitCase& measured = tests.emplace_back();
  measured.name = "the trace is complete";
  if (!outcome.measured()) {
    measured.outcome = "error";
    measured.message = absl::StrJoin(outcome.not_measured, "; ");
  }
  for (std::size_t i = 0; i < outcome.result.rows.size(); ++i) {
    JunitCase test = rowCase(outcome.budget.rows[i], outcome.result.rows[i]);
    if (!outcome.measured()) {
      test.outcome = "skipped";
      test.message = "not judged: the trace is not complete";
    }
    tests.push_back(std::move(test));
  }
  for (std::size_t i = 0; i < outcome.structure.size(); ++i) {
    const std::vector<std::string> off =
        differenceTexts(outcome.budget.structure[i], outcome.structure[i]);
    JunitCase test{subjectText(outcome.budget.structure[i]), "", ""};
    if (!outcome.measured()) {
      test.outcome = "skipped";
      test.message = "not judged: the trace is not complete";
    } else if (!off.empty()) {
      test.outcome = "failure";
      test.message = absl::StrJoin(off, "; ");
    }
    tests.push_back(std::move(test));
  }
  if (!outcome.measured()) return tests;
  for (const NewUsage& fresh : outcome.result.fresh) {
    tests.push_back(newCase(fresh));
  }
  return tests;
}

}  // namespace

std::string checkJunit(const CheckOutcome& outcome) {
  return junitText(outcome.budget_path, "check", testCases(outcome));
}

}  // namespace traced
