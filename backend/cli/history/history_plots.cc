#include "cli/history/history_plots.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace traced {
namespace {

// Of a series that has not changed.
constexpr std::size_t kMostValuesOfQuiet = 128;
// All values of a page together, some 6 bytes each.
constexpr std::size_t kMostValuesOfPage = 2'000'000;

const char* unitOfPart(RunPart part) {
  if (isTime(part)) return "ns";
  return part == RunPart::kCalls ? "" : "B";
}

// The values by their place among the runs that are compared, "-" where there
// is none; means of `together` runs that follow each other.
std::string valuesText(const HistorySeries& series,
                       const std::vector<std::uint32_t>& runs,
                       std::size_t together) {
  std::string text;
  std::size_t at = 0;
  for (std::size_t first = 0; first < runs.size(); first += together) {
    const std::size_t behind = std::min(first + together, runs.size());
    double sum = 0;
    std::size_t count = 0;
    for (; at < series.runs.size() && series.runs[at] <= runs[behind - 1];
         ++at) {
      sum += series.values[at];
      ++count;
    }
    absl::StrAppend(&text, text.empty() ? "" : " ");
    if (count == 0) {
      text += '-';
    } else {
      absl::StrAppendFormat(&text, "%.4g", sum / static_cast<double>(count));
    }
  }
  return text;
}

Json plotJson(const HistoryOutput& output, const JudgedSeries& judged,
              std::size_t together) {
  const auto& runs = output.verdict.runs;
  const auto plain = [](const std::string& text) { return text; };
  const auto placeOfRun = [&runs](std::uint32_t run) {
    return std::lower_bound(runs.begin(), runs.end(), run) - runs.begin();
  };
  Json changes = Json::array();
  for (const HistoryChange& change : judged.changes) {
    changes.push_back({{"run", placeOfRun(change.run)},
                       {"before", change.before},
                       {"after", change.after},
                       {"p", change.p},
                       {"one_run", change.isOfOneRun()}});
  }
  return {{"part", wordsOf(judged.series.part)},
          {"of", keyTextOf(output, judged.series.key, plain)},
          {"unit", unitOfPart(judged.series.part)},
          {"verdict", nameOf(judged.kind)},
          {"follows", judged.follows},
          {"together", together},
          {"values", valuesText(judged.series.of, runs, together)},
          {"changes", std::move(changes)}};
}

}  // namespace

Json historyPlots(const HistoryOutput& output) {
  std::vector<const JudgedSeries*> order = newsOf(output);
  const std::size_t news = order.size();
  for (const bool changed : {true, false}) {
    for (const JudgedSeries& judged : output.verdict.series) {
      if (judged.isNews() || judged.changes.empty() == changed) continue;
      if (isShown(output, judged.series.key)) order.push_back(&judged);
    }
  }
  const std::size_t runs = output.verdict.runs.size();
  Json plots = Json::array();
  std::size_t values = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_quiet = i >= news && order[i]->changes.empty();
    const std::size_t together =
        is_quiet ? (runs + kMostValuesOfQuiet - 1) / kMostValuesOfQuiet : 1;
    values += runs / together;
    if (values > kMostValuesOfPage) break;
    plots.push_back(plotJson(output, *order[i], together));
  }
  const std::size_t left_out = order.size() - plots.size();
  return {{"series", std::move(plots)}, {"left_out", left_out}};
}

}  // namespace traced
