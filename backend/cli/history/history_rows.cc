#include <algorithm>
#include <cmath>
#include <tuple>

#include "cli/history/history_output.h"

namespace traced {
namespace {

int rankOfKind(const JudgedSeries& judged) {
  switch (judged.kind) {
    case ChangeKind::kWorse:
      return judged.follows ? 1 : 0;
    case ChangeKind::kOther:
      return 2;
    case ChangeKind::kBetter:
      return 3;
    case ChangeKind::kOpen:
    case ChangeKind::kNone:
      break;
  }
  return 4;
}

}  // namespace

std::vector<const JudgedSeries*> newsOf(const HistoryOutput& output) {
  std::vector<const JudgedSeries*> news;
  for (const JudgedSeries& judged : output.verdict.series) {
    if (judged.isNews() && isShown(output, judged.series.key)) {
      news.push_back(&judged);
    }
  }
  const auto order = [](const JudgedSeries* judged) {
    // By how much a step became longer, as a part of it.
    const double cost = judged->series.share * std::abs(judged->ratio() - 1);
    return std::tuple(rankOfKind(*judged), !isCount(judged->series.part),
                      -cost);
  };
  std::stable_sort(news.begin(), news.end(), [&](const auto* a, const auto* b) {
    return order(a) < order(b);
  });
  return news;
}

}  // namespace traced
