#include <utility>

#include "analysis/diagnosis/group_rules.h"

namespace traced {
namespace {

std::optional<Trouble> judgeStanding(const GroupStanding& standing) {
  if (!standing.missing.empty()) return judgeMissing(standing);
  return standing.failed.empty() ? judgeHung(standing) : judgeFailed(standing);
}

}  // namespace

std::vector<Trouble> findGroupTroubles(
    const Knowledge& knowledge,
    const std::vector<std::uint64_t>& first_mismatch,
    std::uint64_t& under_way) {
  std::vector<Trouble> troubles;
  for (std::uint32_t group = 0; group < knowledge.job().groups.size();
       ++group) {
    const auto standing = standingOf(knowledge, group);
    if (!standing) continue;
    auto trouble = judgeStanding(*standing);
    // Those who did not need who is missing may stand still further on.
    if (!trouble) {
      const auto behind = standingBehind(knowledge, group, standing->seq);
      if (behind) trouble = judgeStanding(*behind);
    }
    if (!trouble) {
      under_way += standing->inside.size();
      continue;
    }
    const std::uint64_t mismatch = first_mismatch[group];
    trouble->explained = mismatch > 0 && mismatch <= trouble->verdict.seq;
    troubles.push_back(std::move(*trouble));
  }
  return troubles;
}

}  // namespace traced
