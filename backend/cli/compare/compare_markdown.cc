#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "cli/common/text.h"
#include "cli/compare/compare_output.h"

namespace traced {
namespace {

// A page with more is dropped as a whole.
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
// Left for what ends a page that was cut.
constexpr std::size_t kEndBytes = 1024;
// Of one name, so that one cannot fill the page.
constexpr std::size_t kMostOfName = 500;

// As code nothing in a name is markup, a link or a mention. A backtick would
// end it, and a bar the cell of a table.
std::string code(const std::string& name) {
  std::string text = printable(name.substr(0, kMostOfName));
  text = absl::StrReplaceAll(text, {{"`", "'"}, {"|", "/"}});
  return absl::StrCat("`", text, "`");
}

std::string percent(double ratio) {
  return absl::StrFormat("%+.1f %%", 100 * (ratio - 1));
}

std::string rowOf(const CompareRow& row) {
  const Change& change = *row.change;
  return absl::StrCat(
      "| ", wordsOf(change.part), " | ",
      row.key->key ? keyText(row.key->key, code) : "all operations", " | ",
      valueText(change.part, change.before), " | ",
      valueText(change.part, change.after), " | ",
      change.p
          ? absl::StrCat(percent(change.ratio()), " (", percent(change.low()),
                         " to ", percent(change.high()), ")")
          : percent(change.ratio()),
      " | ", nameOf(change.kind), change.follows.empty() ? "" : ", follows",
      " |\n");
}

class Page {
 public:
  // False when there is no room for it any more.
  bool add(const std::string& text) {
    if (text_.size() + text.size() + kEndBytes > kMostBytes) return false;
    text_ += text;
    return true;
  }
  std::string finish(std::size_t left_out) && {
    if (left_out > 0) {
      absl::StrAppend(&text_, "\n", countOf(left_out, "more line"), ".\n");
    }
    return std::move(text_);
  }

 private:
  std::string text_;
};

}  // namespace

std::string compareMarkdown(const Comparison& comparison) {
  Page page;
  std::size_t left_out = 0;
  const auto add = [&](const std::string& text) {
    left_out += !page.add(text);
  };
  add(absl::StrCat("## Communication\n\n**", compareSentence(comparison, code),
                   "**\n\n"));
  bool first = true;
  for (const CompareFinding& finding : compareFindings(comparison, code)) {
    if (!first || !finding.site.empty()) {
      add(absl::StrCat("- ", finding.text,
                       finding.follows.empty() ? "" : "; follows from ",
                       finding.follows.empty() ? "" : code(finding.follows),
                       finding.site.empty() ? "" : ", at ",
                       finding.site.empty() ? "" : code(finding.site), "\n"));
    }
    first = false;
  }
  for (const std::string& reason : comparison.unfit) {
    add(absl::StrCat("- not measured: ", code(reason), "\n"));
  }
  for (const std::string& reason : comparison.not_measured) {
    add(absl::StrCat("- not measured: ", code(reason), "\n"));
  }
  for (const std::string& note : comparison.notes) {
    add(absl::StrCat("- ", code(note), "\n"));
  }
  const std::string power = powerText(comparison, code);
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
  return std::move(page).finish(left_out);
}

}  // namespace traced
