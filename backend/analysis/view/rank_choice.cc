#include "analysis/view/rank_choice.h"

#include <algorithm>
#include <numeric>

namespace traced {
namespace {

constexpr std::size_t kMaxCulprits = 8;

}  // namespace

const char* nameOf(ChosenAs reason) {
  switch (reason) {
    case ChosenAs::kCulprit:
      return "culprit";
    case ChosenAs::kSlowest:
      return "slowest";
    case ChosenAs::kQuickest:
      return "quickest";
    case ChosenAs::kMedian:
      return "median";
    case ChosenAs::kAsked:
      break;
  }
  return "asked for";
}

std::vector<ChosenRank> chooseRanks(const std::vector<std::uint64_t>& waited_ns,
                                    const std::vector<std::size_t>& culprits) {
  std::vector<ChosenRank> chosen;
  const auto choose = [&](std::size_t index, ChosenAs reason) {
    const bool there =
        std::any_of(chosen.begin(), chosen.end(),
                    [&](const ChosenRank& one) { return one.index == index; });
    if (!there) chosen.push_back({index, reason});
  };
  for (std::size_t i = 0; i < std::min(culprits.size(), kMaxCulprits); ++i) {
    choose(culprits[i], ChosenAs::kCulprit);
  }
  std::vector<std::size_t> order(waited_ns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) {
                     return waited_ns[a] < waited_ns[b];
                   });
  if (!order.empty()) {
    choose(order.front(), ChosenAs::kSlowest);
    choose(order.back(), ChosenAs::kQuickest);
    choose(order[order.size() / 2], ChosenAs::kMedian);
  }
  std::sort(chosen.begin(), chosen.end(),
            [](const ChosenRank& a, const ChosenRank& b) {
              return a.index < b.index;
            });
  return chosen;
}

}  // namespace traced
