#include <algorithm>
#include <cmath>
#include <ctime>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analysis/compare/side_values.h"
#include "cli/common/text.h"
#include "cli/history/history_output.h"

namespace traced {
namespace {

const HistoryRun& latestRun(const HistoryOutput& output) {
  return output.history.runs[output.verdict.runs.back()];
}

const char* unitOfRun(const HistoryOutput& output) {
  return latestRun(output).stepped ? "a step" : "a run";
}

// What is known of two runs to differ: versions, hosts.
std::string factsText(const HistoryRun& before, const HistoryRun& after,
                      const Quote& quote) {
  std::string text;
  for (const auto& [name, value] : after.facts) {
    const auto was = before.facts.find(name);
    if (was == before.facts.end() || was->second == value) continue;
    absl::StrAppend(&text, text.empty() ? ", where " : " and ", quote(name),
                    " went from ", quote(was->second), " to ", quote(value));
  }
  return text;
}

std::string newsText(const HistoryOutput& output, const JudgedSeries& judged,
                     const Quote& quote) {
  const RunPart part = judged.series.part;
  std::string text = partText(part, keyTextOf(output, judged.series.key, quote),
                              unitOfRun(output));
  const double ratio = judged.ratio();
  if (!isTime(part)) {
    absl::StrAppend(&text, " went");
  } else if (ratio >= 2) {
    absl::StrAppend(&text, " became ", threeDigits(ratio), " times as long,");
  } else {
    absl::StrAppend(&text, " became ", percentNumber(ratio - 1), " % ",
                    ratio < 1 ? "shorter," : "longer,");
  }
  absl::StrAppend(&text, " from ", valueText(part, judged.before), " to ",
                  valueText(part, judged.after), ", ",
                  sinceText(output, *judged.since, quote));
  return text;
}

std::string cameOrWentText(const HistoryOutput& output, const CameOrWent& one,
                           const Quote& quote) {
  return absl::StrCat(keyTextOf(output, one.key, quote),
                      one.is_gone ? " is gone, " : " is new, ",
                      sinceText(output, one.run, quote));
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] -= 'a' - 'A';
  return text;
}

}  // namespace

const char* verdictNameOf(const HistoryVerdict& verdict) {
  if (verdict.hasRegression()) return "regression";
  return verdict.not_measured.empty() ? "no_regression" : "not_measured";
}

std::string keyTextOf(const HistoryOutput& output, std::size_t key,
                      const Quote& quote) {
  return keyText(output.history.keys[key].key, quote);
}

bool isShown(const HistoryOutput& output, std::size_t key) {
  return absl::StrContains(nameOf(output.history.keys[key].key), output.key);
}

std::string dateText(const HistoryRun& run) {
  constexpr std::int64_t kNsOfASecond = 1'000'000'000;
  const std::time_t seconds = run.started_realtime_ns / kNsOfASecond;
  std::tm parts{};
  if (seconds <= 0 || !gmtime_r(&seconds, &parts)) return "-";
  return absl::StrFormat("%04d-%02d-%02d %02d:%02d", parts.tm_year + 1900,
                         parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
                         parts.tm_min);
}

std::string sinceText(const HistoryOutput& output, std::uint32_t run,
                      const Quote& quote) {
  const auto& runs = output.verdict.runs;
  const auto place = std::lower_bound(runs.begin(), runs.end(), run);
  const HistoryRun& of = output.history.runs[run];
  const auto ago = static_cast<std::uint64_t>(runs.end() - place);
  return absl::StrCat(
      "with ",
      of.label.empty() ? absl::StrCat("the run of ", dateText(of))
                       : absl::StrCat(quote(of.label), " (", dateText(of), ")"),
      ", ", countOf(ago, "run"), " ago",
      place == runs.begin()
          ? ""
          : factsText(output.history.runs[*(place - 1)], of, quote));
}

std::vector<std::string> historyFindings(const HistoryOutput& output,
                                         const Quote& quote) {
  std::vector<std::string> findings;
  for (const CameOrWent& one : output.verdict.came_or_went) {
    if (!isShown(output, one.key)) continue;
    findings.push_back(cameOrWentText(output, one, quote));
  }
  for (const JudgedSeries* judged : newsOf(output)) {
    if (judged->follows || judged->kind == ChangeKind::kOpen) continue;
    findings.push_back(newsText(output, *judged, quote));
  }
  return findings;
}

std::string historySentence(const HistoryOutput& output, const Quote& quote) {
  const HistoryVerdict& verdict = output.verdict;
  std::size_t reasons = verdict.came_or_went.size(), following = 0;
  for (const JudgedSeries& judged : verdict.series) {
    if (judged.kind != ChangeKind::kWorse) continue;
    ++(judged.follows ? following : reasons);
  }
  const std::vector<std::string> findings = historyFindings(output, quote);
  if (reasons > 0 && !findings.empty()) {
    std::string text = capital(findings.front()) + ".";
    if (reasons > 1) {
      absl::StrAppend(&text, " ", countOf(reasons - 1, "more change"),
                      " for the worse.");
    }
    if (following > 0) {
      absl::StrAppend(&text, " ", countOf(following, "figure"),
                      following == 1 ? " follows" : " follow", " from that.");
    }
    return text;
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
