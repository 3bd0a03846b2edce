#include "analysis/diagnosis/slow_peers/linked_ranks.h"

#include <algorithm>
#include <iterator>

namespace traced {
namespace {

using Ranks = std::vector<std::uint32_t>;
using Kind = ComparedLinks::Kind;

Ranks sorted(Ranks ranks) {
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

}  // namespace

std::vector<LinkedRanks> putTogether(const ComparedLinks& compared,
                                     const std::vector<SlowLink>& slow) {
  LinkedRanks all;
  bool common = false;
  for (const SlowLink& link : slow) {
    const Ranks ranks = sorted(compared.links[link.link].ranks);
    Ranks both;
    std::set_intersection(all.ranks.begin(), all.ranks.end(), ranks.begin(),
                          ranks.end(), std::back_inserter(both));
    common = all.links.empty() || (common && !both.empty());
    if (compared.kind == Kind::kRanks) {
      all.ranks.push_back(ranks.front());
    } else {
      all.ranks = all.links.empty() ? ranks : both;
    }
    all.links.push_back(&link);
  }
  all.ranks = sorted(all.ranks);
  if (common || compared.kind == Kind::kRanks) return {all};
  std::vector<LinkedRanks> groups;
  for (const SlowLink& link : slow) {
    const Ranks ranks = sorted(compared.links[link.link].ranks);
    const auto same = std::find_if(
        groups.begin(), groups.end(),
        [&](const LinkedRanks& each) { return each.ranks == ranks; });
    if (same != groups.end()) {
      same->links.push_back(&link);
    } else {
      groups.push_back({ranks, {&link}});
    }
  }
  return groups;
}

}  // namespace traced
