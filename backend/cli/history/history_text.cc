#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/common/table.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/common/wrap.h"
#include "cli/compare/change_words.h"
#include "cli/history/history_output.h"

namespace traced {
namespace {

constexpr std::size_t kScreenRowsOfHistory = 30;

std::string labelCell(const HistoryRun& run) {
  return run.label.empty() ? "" : printable(run.label);
}

class HistoryTable {
 public:
  explicit HistoryTable(const HistoryOutput& output) : output_(output) {
    using Align = Table::Align;
    table_.addColumn("what", Align::kLeft);
    table_.addColumn("of", Align::kLeft);
    for (const char* name : {"before", "after", "change"}) {
      table_.addColumn(name);
    }
    table_.addColumn("since", Align::kLeft);
    table_.addColumn("label", Align::kLeft);
    table_.addColumn("runs");
    table_.addColumn("p");
    table_.addColumn("", Align::kLeft);
  }

  void addNews(const JudgedSeries& judged) {
    const auto change = std::find_if(
        judged.changes.begin(), judged.changes.end(),
        [&](const HistoryChange& one) { return one.run == judged.since; });
    add(judged, judged.before, judged.after, *change,
        kindCell(judged.kind, judged.follows));
  }
  void addOld(const JudgedSeries& judged, const HistoryChange& change) {
    add(judged, change.before, change.after, change,
        change.isOfOneRun() ? "one run" : "");
  }

  std::size_t rows() const { return rows_; }
  std::string text() {
    table_.fit(screenColumns(), {"p", "before", "after", "runs"});
    return table_.text(wantsColours());
  }

 private:
  void add(const JudgedSeries& judged, double before, double after,
           const HistoryChange& change, const char* verdict) {
    const RunPart part = judged.series.part;
    const HistoryRun& run = output_.history.runs[change.run];
    table_.addRow({wordsOf(part),
                   keyTextOf(output_, judged.series.key, printable),
                   valueText(part, before), valueText(part, after),
                   before > 0 ? ratioCell(after / before) : "-", dateText(run),
                   labelCell(run), absl::StrCat(change.runs_after),
                   absl::StrFormat("%.1g", change.p), verdict});
    ++rows_;
  }

  const HistoryOutput& output_;
  Table table_;
  std::size_t rows_ = 0;
};

std::string tableTextOf(const HistoryOutput& output) {
  HistoryTable table(output);
  std::size_t left_out = 0, other = 0;
  for (const JudgedSeries* judged : newsOf(output)) {
    if (output.all || table.rows() < kScreenRowsOfHistory) {
      table.addNews(*judged);
    } else {
      ++left_out;
    }
  }
  for (const JudgedSeries& judged : output.verdict.series) {
    if (!isShown(output, judged.series.key)) continue;
    for (const HistoryChange& change : judged.changes) {
      if (change.is_new && judged.isNews()) continue;
      if (output.all) table.addOld(judged, change);
      other += !change.isOfOneRun();
    }
  }
  std::string text = table.rows() > 0 ? "\n" + table.text() : "";
  if (left_out > 0) {
    absl::StrAppend(&text, " ", countOf(left_out, "more row"),
                    "; --all shows them\n");
  }
  if (other > 0 && !output.all) {
    absl::StrAppend(&text, " ", countOf(other, "other change"),
                    "; --all shows them\n");
  }
  return text;
}

}  // namespace

std::string historyText(const HistoryOutput& output) {
  std::string words = historyHeading(output) + "\n";
  for (const std::string& note : output.verdict.notes) {
    absl::StrAppend(&words, " ", printable(note), "\n");
  }
  absl::StrAppend(&words, "\n", historySentence(output, printable), "\n");
  const std::vector<std::string> findings = historyFindings(output, printable);
  const bool on_top = output.verdict.hasRegression();
  constexpr std::size_t kMostFindings = 20;
  for (std::size_t i = on_top ? 1 : 0; i < findings.size(); ++i) {
    if (i > kMostFindings) break;
    absl::StrAppend(&words, " - ", findings[i], "\n");
  }
  const std::string power = historyPower(output, printable);
  if (!power.empty()) absl::StrAppend(&words, power, "\n");
  return wrappedLines(words, screenColumns()) + tableTextOf(output);
}

}  // namespace traced
