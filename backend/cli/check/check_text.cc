#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analysis/stream/rank_list.h"
#include "cli/check/check_output.h"
#include "cli/common/heading.h"
#include "cli/common/table.h"
#include "cli/common/terminal.h"
#include "phrasing/budget_text.h"
#include "phrasing/text.h"

namespace traced {
namespace {

Table makeTable() {
  using Align = Table::Align;
  Table table;
  for (const char* name :
       {"steps", "group", "operation", "dtype", "ranks", "figure"}) {
    table.addColumn(name, Align::kLeft);
  }
  table.addColumn("budget");
  table.addColumn("measured");
  table.addColumn("", Align::kLeft);
  table.addColumn("", Align::kLeft);
  return table;
}

// Rounds bytes for people, but keeps two different sizes distinguishable.
std::string sizeText(std::uint64_t bytes, std::uint64_t other) {
  const bool alike = bytes != other && bytesText(bytes) == bytesText(other);
  return alike ? groupedText(bytes) + " B" : bytesText(bytes);
}

std::string figureText(bool is_bytes, std::uint64_t figure,
                       std::uint64_t other) {
  return is_bytes ? sizeText(figure, other) : groupedText(figure);
}

// Returns "12", or "8-12" if ranks or steps differ.
std::string measuredText(bool is_bytes, const FigureResult& figure) {
  const auto text = [&](std::uint64_t value) {
    return figureText(is_bytes, value, figure.budget);
  };
  if (figure.least >= figure.most) return text(figure.most);
  return absl::StrCat(text(figure.least), " to ", text(figure.most));
}

std::string limitText(bool is_bytes, const BudgetRow& row,
                      const FigureResult& figure) {
  const std::uint64_t other =
      figure.most == figure.budget ? figure.least : figure.most;
  std::string text = figureText(is_bytes, figure.budget, other);
  if (row.at_most) text = "<= " + text;
  if (row.tolerance_percent > 0) {
    absl::StrAppend(&text, " +-", row.tolerance_percent, " %");
  }
  return text;
}

// Adds a table row for the calls or the bytes of a budget row. Only the first
// of the two repeats the key.
void addFigure(Table& table, const BudgetRow& row, bool is_bytes, bool first,
               const FigureResult& figure) {
  std::vector<std::string> cells(5);
  if (first) {
    cells = {row.steps.text(), printable(row.group.value_or("any")),
             printable(row.op.value_or("any")),
             printable(row.dtype.value_or("any")), printable(row.ranks_text)};
  }
  cells.push_back(
      absl::StrCat(is_bytes ? "bytes" : "count", row.per_step ? "/step" : ""));
  cells.push_back(limitText(is_bytes, row, figure));
  cells.push_back(measuredText(is_bytes, figure));
  cells.push_back(verdictText(figure.verdict));
  cells.push_back(placeText(figure));
  table.addRow(std::move(cells));
}

void addNew(Table& table, const CheckOutcome& outcome, const NewUsage& fresh) {
  const char* per = fresh.steps.all() ? "" : "/step";
  std::string hint = hintText(outcome, fresh);
  table.addRow({fresh.steps.text(), printable(fresh.key.group),
                printable(fresh.key.op), printable(fresh.key.dtype),
                RankList::fromRanks(fresh.ranks).text(),
                absl::StrCat("count", per), "-", groupedText(fresh.most.count),
                "NEW", printable(hint)});
  table.addRow({"", "", "", "", "", absl::StrCat("bytes", per), "-",
                bytesText(fresh.most.bytes), "NEW", ""});
}

std::string conclusionText(const CheckOutcome& outcome) {
  const BudgetResult& result = outcome.result;
  std::string text;
  if (!outcome.measured()) {
    absl::StrAppend(&text,
                    "NOT JUDGED: the trace does not hold all of what the "
                    "budget is about.\n");
    for (const std::string& reason : outcome.not_measured) {
      absl::StrAppend(&text, " - ", printable(reason), "\n");
    }
  } else if (outcome.met()) {
    text = absl::StrCat("Budget met: ", countOf(result.rows.size(), "row"),
                        ", ", countOf(result.judged, "operation"), ".\n");
  } else if (result.met()) {
    text = absl::StrCat("All ", countOf(result.rows.size(), "budget row"),
                        " met, the structure is another one.\n");
  } else {
    text = absl::StrCat(groupedText(result.rowsOff()), " of ",
                        countOf(result.rows.size(), "budget row"), " not met, ",
                        groupedText(result.fresh.size()), " new.\n");
  }
  if (result.outside > 0) {
    absl::StrAppend(&text, countOf(result.outside, "operation"),
                    " outside the steps of the budget: not judged.\n");
  }
  return text;
}

std::string structureText(const CheckOutcome& outcome) {
  std::string text;
  for (std::size_t i = 0; i < outcome.structure.size(); ++i) {
    for (const std::string& what :
         differenceTexts(outcome.budget.structure[i], outcome.structure[i])) {
      absl::StrAppend(
          &text, " ",
          printable(subjectText(outcome.budget.structure[i]) + ": " + what),
          "\n");
    }
  }
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string checkText(const CheckOutcome& outcome, bool all) {
  const BudgetResult& result = outcome.result;
  const bool short_list = !all && result.rows.size() > kScreenRows;
  Table table = makeTable();
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const RowResult& row = result.rows[i];
    if (short_list && row.verdict() == Verdict::kOk) {
      ++left_out;
      continue;
    }
    const BudgetRow& budget = outcome.budget.rows[i];
    if (row.count) addFigure(table, budget, false, true, *row.count);
    if (row.bytes) addFigure(table, budget, true, !row.count, *row.bytes);
  }
  for (const NewUsage& fresh : result.fresh) addNew(table, outcome, fresh);
  std::string text =
      absl::StrCat(headingText(outcome.title, outcome.set, outcome.summary),
                   "\n", table.text());
  if (left_out > 0) {
    absl::StrAppend(&text, " ", countOf(left_out, "more row"),
                    " met; --all shows them\n");
  }
  if (outcome.measured()) absl::StrAppend(&text, structureText(outcome));
  return absl::StrCat(text, "\n", conclusionText(outcome));
}

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
