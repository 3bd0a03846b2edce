#include "analysis/diagnosis/values/equal_data.h"

#include <algorithm>

namespace traced {
namespace {

Ranks joinedRanks(std::vector<Ranks>::const_iterator first,
                  std::vector<Ranks>::const_iterator last) {
  Ranks all;
  for (; first != last; ++first) {
    all.insert(all.end(), first->begin(), first->end());
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

std::vector<Ranks> equalRanks(absl::Span<const Holders> holders) {
  std::vector<Ranks> sets;
  for (const Holders& each : holders) sets.push_back(each.ranks());
  std::stable_sort(
      sets.begin(), sets.end(),
      [](const Ranks& a, const Ranks& b) { return a.size() > b.size(); });
  return sets;
}

void blameMinority(const std::vector<Ranks>& equal, JobVerdict& verdict) {
  verdict.ranks = joinedRanks(equal.begin(), equal.end());
  const bool most_agree = 2 * equal.front().size() > verdict.ranks.size();
  verdict.culprit = most_agree ? Confidence::kLikely : Confidence::kUndecided;
  verdict.culprits =
      most_agree ? joinedRanks(equal.begin() + 1, equal.end()) : verdict.ranks;
  if (!most_agree) verdict.reasons.push_back(PlainFact::kTwoCannotOutvote);
}

}  // namespace traced
