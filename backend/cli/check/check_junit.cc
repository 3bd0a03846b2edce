#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "analysis/stream/rank_list.h"
#include "base/utf8.h"
#include "cli/check/check_output.h"
#include "cli/common/text.h"

namespace traced {
namespace {

// Text as the value of an attribute. XML has no way at all to write most
// control characters.
std::string attribute(const std::string& text) {
  return absl::StrReplaceAll(printable(toValidUtf8(text)),
                             {{"\xEF\xBF\xBE", "?"},
                              {"\xEF\xBF\xBF", "?"},
                              {"&", "&amp;"},
                              {"<", "&lt;"},
                              {">", "&gt;"},
                              {"\"", "&quot;"}});
}

struct TestCase {
  std::string name;
  // "failure", "error" or "skipped"; empty when it passed.
  const char* outcome = "";
  std::string message;
};

std::string text(const TestCase& test) {
  const std::string start =
      absl::StrCat("    <testcase classname=\"tracectl.check\" name=\"",
                   attribute(test.name), "\" time=\"0\"");
  if (*test.outcome == '\0') return start + "/>\n";
  return absl::StrCat(start, ">\n      <", test.outcome, " message=\"",
                      attribute(test.message), "\"/>\n    </testcase>\n");
}

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

TestCase rowCase(const BudgetRow& row, const RowResult& result) {
  TestCase test{absl::StrCat(subjectText(row), " (line ", row.line, ")"), "",
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

TestCase newCase(const NewUsage& fresh) {
  return {subjectText(fresh), "failure",
          absl::StrCat("NEW, not in the budget: up to ", fresh.most.count,
                       " calls and ", fresh.most.bytes, " bytes",
                       fresh.steps.all() ? "" : " in a step", " on ranks ",
                       RankList::fromRanks(fresh.ranks).text())};
}

std::vector<TestCase> testCases(const CheckOutcome& outcome) {
  std::vector<TestCase> tests;
  TestCase& measured = tests.emplace_back();
  measured.name = "the trace is complete";
  if (!outcome.measured()) {
    measured.outcome = "error";
    measured.message = absl::StrJoin(outcome.not_measured, "; ");
  }
  for (std::size_t i = 0; i < outcome.result.rows.size(); ++i) {
    TestCase test = rowCase(outcome.budget.rows[i], outcome.result.rows[i]);
    if (!outcome.measured()) {
      test.outcome = "skipped";
      test.message = "not judged: the trace is not complete";
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
  std::string cases;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
  const std::vector<TestCase> tests = testCases(outcome);
  for (const TestCase& test : tests) {
    const std::string_view result = test.outcome;
    failures += result == "failure";
    errors += result == "error";
    skipped += result == "skipped";
    cases += text(test);
  }
  const std::string counts = absl::StrCat(
      " tests=\"", tests.size(), "\" failures=\"", failures, "\" errors=\"",
      errors, "\" skipped=\"", skipped, "\" time=\"0\"");
  return absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
                      "<testsuites", counts, ">\n  <testsuite name=\"",
                      attribute(outcome.budget_path), "\"", counts, ">\n",
                      cases, "  </testsuite>\n</testsuites>\n");
}

}  // namespace traced
