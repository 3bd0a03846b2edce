#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/common/table.h"
#include "cli/common/terminal.h"
#include "cli/compare/compare_output.h"
#include "phrasing/text.h"

namespace traced {
namespace {

std::string headingOf(const Comparison& comparison) {
  std::string text = absl::StrCat(
      countOf(comparison.base_runs, "run"), " against ", comparison.fresh_runs,
      comparison.settings.paired ? ", in pairs" : "");
  if (comparison.same_runs > 0) {
    absl::StrAppend(&text, ", and ", comparison.same_runs,
                    " more of the first program");
  }
  if (comparison.world_size > 0) {
    absl::StrAppend(&text, "; ", countOf(comparison.world_size, "rank"));
  }
  if (comparison.stepped) {
    absl::StrAppend(&text, ", steps ", comparison.steps);
  }
  return text + "\n";
}

std::string verdictCell(const Change& change) {
  if (change.kind == ChangeKind::kNone) return change.small ? "small" : "";
  return kindCell(change.kind, change.follows.has_value());
}

Table tableOf(const Comparison& comparison,
              const std::vector<CompareRow>& rows) {
  using Align = Table::Align;
  Table table;
  table.addColumn("what", Align::kLeft);
  table.addColumn("of", Align::kLeft);
  for (const char* name : {"before", "after", "change"}) table.addColumn(name);
  if (comparison.has_verdict) {
    table.addColumn("interval", Align::kLeft);
    table.addColumn("p");
    table.addColumn("found from");
    table.addColumn("", Align::kLeft);
  }
  for (const CompareRow& row : rows) {
    const Change& change = *row.change;
    const bool has_ratio = !change.small || !isTime(change.part);
    std::vector<std::string> cells = {
        wordsOf(change.part), keyText(row.key->key, printable),
        valueText(change.part, change.before),
        valueText(change.part, change.after),
        has_ratio ? ratioCell(change.ratio()) : "-"};
    if (comparison.has_verdict) {
      cells.push_back(change.p ? absl::StrCat(ratioCell(change.low()), " to ",
                                              ratioCell(change.high()))
                               : "");
      cells.push_back(change.p ? absl::StrFormat("%.3f", *change.p) : "");
      cells.push_back(
          change.p ? absl::StrFormat(
                         "%.1f %%",
                         100 * change.detectable(comparison.settings.limits))
                   : "");
      cells.push_back(verdictCell(change));
    }
    table.addRow(std::move(cells));
  }
  return table;
}

// Returns the text of a finding. The first one is the headline. Consequences
// are omitted unless they are a longer step, because the table has them all.
std::string findingText(const CompareFinding& finding, bool first) {
  if (!finding.follows.empty() && finding.rule != nameOf(RunPart::kStep)) {
    return "";
  }
  std::string text;
  if (!first) {
    absl::StrAppend(&text, " - ", finding.text,
                    finding.follows.empty() ? "" : ", which follows", "\n");
  }
  if (!finding.site.empty()) {
    absl::StrAppend(&text, "   at ", printable(finding.site), "\n");
  }
  return text;
}

// Returns true for rows hidden by default: without a change, and small or
// without a significance test.
bool isQuiet(const Change& change) {
  return change.kind == ChangeKind::kNone && (change.small || !change.p);
}

std::string rowsText(const Comparison& comparison, bool all) {
  std::vector<CompareRow> rows;
  std::size_t left_out = 0;
  for (const CompareRow& row : compareRows(comparison)) {
    const bool shown =
        all || (rows.size() < kScreenRows && !isQuiet(*row.change));
    if (shown) {
      rows.push_back(row);
    } else {
      ++left_out;
    }
  }
  if (rows.empty()) return "";
  Table table = tableOf(comparison, rows);
  table.fit(screenColumns(), {"p", "found from", "before", "after"});
  std::string text = "\n" + table.text(wantsColours());
  if (left_out > 0) {
    absl::StrAppend(&text, " ", countOf(left_out, "more row"),
                    "; --all shows them\n");
  }
  return text;
}

}  // namespace

std::string compareText(const Comparison& comparison, bool all) {
  std::string words = headingOf(comparison);
  for (const std::string& note : remarkTexts(comparison, comparison.notes)) {
    absl::StrAppend(&words, " ", printable(note), "\n");
  }
  absl::StrAppend(&words, "\n", compareSentence(comparison, printable), "\n");
  const std::vector<CompareFinding> findings =
      compareFindings(comparison, printable);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    absl::StrAppend(&words, findingText(findings[i], i == 0));
  }
  const std::string power = powerText(comparison, printable);
  if (!power.empty()) absl::StrAppend(&words, power, "\n");
  return wrappedLines(words, screenColumns()) + rowsText(comparison, all);
}

std::string ratioCell(double ratio) {
  const double percent = 100 * (ratio - 1);
  // A nonzero difference must not print as zero.
  const bool shows_none = std::abs(percent) < 0.05 && percent != 0;
  return shows_none ? absl::StrFormat("%+.1g %%", percent)
                    : absl::StrFormat("%+.1f %%", percent);
}

const char* kindCell(ChangeKind kind, bool follows) {
  switch (kind) {
    case ChangeKind::kWorse:
      return follows ? "worse, follows" : "WORSE";
    case ChangeKind::kBetter:
      return "better";
    case ChangeKind::kOther:
      return "changed";
    case ChangeKind::kOpen:
      return "open";
    case ChangeKind::kNone:
      break;
  }
  return "";
}

}  // namespace traced
