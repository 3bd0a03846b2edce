#include <algorithm>

#include "absl/strings/str_cat.h"
#include "cli/check/check_output.h"

namespace traced {

const char* verdictText(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOver:
      return "OVER";
    case Verdict::kUnder:
      return "UNDER";
    case Verdict::kMissing:
      return "MISSING";
    case Verdict::kOk:
      break;
  }
  return "ok";
}

std::string subjectText(const BudgetRow& row) {
  std::string text =
      absl::StrCat(row.group.value_or("any"), " ", row.op.value_or("any"), " ",
                   row.dtype.value_or("any"));
  if (row.ranks) absl::StrAppend(&text, ", ranks ", row.ranks_text);
  if (!row.steps.all()) absl::StrAppend(&text, ", steps ", row.steps.text());
  return text;
}

std::string subjectText(const NewUsage& fresh) {
  std::string text =
      absl::StrCat(fresh.key.group, " ", fresh.key.op, " ", fresh.key.dtype);
  if (!fresh.steps.all()) {
    absl::StrAppend(&text, ", steps ", fresh.steps.text());
  }
  return text;
}

std::string subjectText(const StructureRow& row) {
  std::string text = "structure of " + row.group;
  if (row.ranks) absl::StrAppend(&text, ", ranks ", row.ranks_text);
  if (!row.steps.all()) absl::StrAppend(&text, ", steps ", row.steps.text());
  return text;
}

std::size_t CheckOutcome::structureOff() const {
  return static_cast<std::size_t>(std::count_if(
      structure.begin(), structure.end(),
      [](const StructureResult& one) { return !one.differences.empty(); }));
}

std::string placeText(const FigureResult& figure) {
  if (!figure.first_off) return "";
  std::string text = absl::StrCat("rank ", figure.first_off->rank);
  if (figure.first_off->step) {
    absl::StrAppend(&text, " step ", *figure.first_off->step);
  }
  if (figure.off > 1) {
    absl::StrAppend(&text, " and ", figure.off - 1, " more of ",
                    figure.measured);
  }
  return text;
}

std::string hintText(const CheckOutcome& outcome, const NewUsage& fresh) {
  for (std::size_t i = 0; i < outcome.budget.rows.size(); ++i) {
    const BudgetRow& row = outcome.budget.rows[i];
    const Verdict verdict = outcome.result.rows[i].verdict();
    const bool lacks =
        verdict == Verdict::kUnder || verdict == Verdict::kMissing;
    if (lacks && row.group == fresh.key.group && row.op == fresh.key.op &&
        row.dtype && row.dtype != fresh.key.dtype) {
      return absl::StrCat("the budget has ", *row.dtype);
    }
  }
  return "";
}

}  // namespace traced
