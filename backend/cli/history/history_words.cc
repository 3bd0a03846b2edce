#include <algorithm>
#include <ctime>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analysis/compare/side_values.h"
#include "cli/common/text.h"
#include "cli/history/history_output.h"

namespace traced {
namespace {

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

}  // namespace

const HistoryRun& latestRun(const HistoryOutput& output) {
  return output.history.runs[output.verdict.runs.back()];
}

const char* unitOfRun(const HistoryOutput& output) {
  return latestRun(output).stepped ? "a step" : "a run";
}

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

}  // namespace traced
