#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/common/text.h"
#include "cli/compare/change_words.h"
#include "cli/history/history_output.h"

namespace traced {
std::string historySentence(const HistoryOutput& output, const Quote& quote) {
  const HistoryVerdict& verdict = output.verdict;
  std::size_t reasons = verdict.came_or_went.size(), following = 0;
  for (const JudgedSeries& judged : verdict.series) {
    if (judged.kind != ChangeKind::kWorse) continue;
    ++(judged.follows ? following : reasons);
  }
  const std::vector<std::string> findings = historyFindings(output, quote);
  if (reasons > 0 && !findings.empty()) {
    return worseSentence(findings.front(), reasons, following);
  }
  if (reasons > 0) {
    return absl::StrCat(countOf(reasons, "change"),
                        " for the worse, of none that is shown.");
  }
  if (!verdict.not_measured.empty()) return "Not measured.";
  return absl::StrCat(
      "No regression: in the latest ",
      countOf(std::min(verdict.limits.newest, verdict.runs.size()), "run"),
      " nothing became worse by more than ",
      percentNumber(verdict.limits.floor), " %.");
}

std::string historyHeading(const HistoryOutput& output) {
  const HistoryVerdict& verdict = output.verdict;
  const HistoryRun& first = output.history.runs[verdict.runs.front()];
  const HistoryRun& last = latestRun(output);
  return absl::StrCat(
      countOf(verdict.runs.size(), "run"), ", ", dateText(first), " to ",
      dateText(last), "; ", countOf(last.world_size, "rank"),
      last.stepped ? ", steps " + printable(last.steps) : "", "; ",
      groupedText(verdict.tested), " series that vary; p below ",
      absl::StrFormat("%.2g", verdict.max_p));
}

std::string historyPower(const HistoryOutput& output, const Quote& quote) {
  const JudgedSeries* step = nullptr;
  const JudgedSeries* worst = nullptr;
  for (const JudgedSeries& judged : output.verdict.series) {
    if (!judged.found_from || !isTime(judged.series.part)) continue;
    if (judged.series.part == RunPart::kStep) step = &judged;
    if (!worst || *judged.found_from > *worst->found_from) worst = &judged;
  }
  if (!step || !worst) return "";
  return absl::StrCat(
      "In 9 of 10 histories like this one ", unitOfRun(output), " that is ",
      percentNumber(*step->found_from), " % longer in the latest ",
      countOf(step->power_runs, "run"), " would be found; least well seen is ",
      partText(worst->series.part, keyTextOf(output, worst->series.key, quote),
               unitOfRun(output)),
      ", from ", percentNumber(*worst->found_from), " % on (",
      percentNumber(worst->series.share), " % of ", unitOfRun(output), ").");
}

}  // namespace traced
