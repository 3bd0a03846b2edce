#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/common/ci_output.h"
#include "cli/compare/compare_output.h"

namespace traced {
namespace {

std::string rowOf(const CompareRow& row) {
  const Change& change = *row.change;
  return absl::StrCat(
      "| ", wordsOf(change.part), " | ",
      row.key->key ? keyText(row.key->key, markdownCode) : "all operations",
      " | ", valueText(change.part, change.before), " | ",
      valueText(change.part, change.after), " | ",
      change.p ? absl::StrCat(ratioCell(change.ratio()), " (",
                              ratioCell(change.low()), " to ",
                              ratioCell(change.high()), ")")
               : ratioCell(change.ratio()),
      " | ", nameOf(change.kind), change.follows ? ", follows" : "", " |\n");
}

}  // namespace

std::string compareMarkdown(const Comparison& comparison) {
  MarkdownPage page;
  const auto add = [&](const std::string& text) { page.add(text); };
  add(absl::StrCat("## Communication\n\n**",
                   compareSentence(comparison, markdownCode), "**\n\n"));
  bool first = true;
  for (const CompareFinding& finding :
       compareFindings(comparison, markdownCode)) {
    if (!first || !finding.site.empty()) {
      add(absl::StrCat(
          "- ", finding.text, finding.follows.empty() ? "" : "; follows from ",
          finding.follows.empty() ? "" : markdownCode(finding.follows),
          finding.site.empty() ? "" : ", at ",
          finding.site.empty() ? "" : markdownCode(finding.site), "\n"));
    }
    first = false;
  }
  for (const std::string& reason : reasonTexts(comparison)) {
    add(absl::StrCat("- not measured: ", markdownCode(reason), "\n"));
  }
  for (const std::string& note : remarkTexts(comparison, comparison.notes)) {
    add(absl::StrCat("- ", markdownCode(note), "\n"));
  }
  const std::string power = powerText(comparison, markdownCode);
  if (!power.empty()) add(absl::StrCat("\n", power, "\n"));
  const std::vector<CompareRow> rows = compareRows(comparison);
  if (!rows.empty()) {
    add("\n| what | of | before | after | change | verdict |\n"
        "|---|---|---:|---:|---:|---|\n");
  }
  for (const CompareRow& row : rows) {
    if (row.change->small) continue;
    add(rowOf(row));
  }
  return std::move(page).finish();
}

}  // namespace traced
