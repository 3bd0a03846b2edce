#include <algorithm>
#include <utility>

#include "analysis/diagnosis/standstill/group_rules.h"

namespace traced {
namespace {

std::optional<Trouble> judgeStanding(const GroupStanding& standing) {
  if (!standing.missing.empty()) return judgeMissing(standing);
  return standing.failed.empty() ? judgeHung(standing) : judgeFailed(standing);
}

// Whether all joined an operation, some failed or died in it, and all of these
// had called a later one by then, about which ranks disagree.
bool failedBehind(const GroupStanding& standing, const Trouble& trouble,
                  std::uint64_t mismatch) {
  const bool failed = trouble.verdict.kind == VerdictKind::kFailed ||
                      trouble.verdict.kind == VerdictKind::kLeftEarly;
  if (!failed || !trouble.missing.empty()) return false;
  const CollectiveTable& table =
      standing.job().groups[standing.group].collectives;
  return std::all_of(trouble.inside.begin(), trouble.inside.end(),
                     [&](std::uint32_t rank) {
                       const MemberProgress* member = table.member(rank);
                       return member && member->lastCalled() >= mismatch;
                     });
}

}  // namespace

std::vector<Trouble> findGroupTroubles(
    const Knowledge& knowledge,
    const std::vector<std::uint64_t>& first_mismatch, std::uint64_t& under_way,
    std::vector<JobVerdict>& aborted) {
  std::vector<Trouble> troubles;
  for (std::uint32_t group = 0; group < knowledge.job().groups.size();
       ++group) {
    const auto standing = standingOf(knowledge, group);
    if (!standing) continue;
    const bool is_short = !knowledge.standsStill(standing->longest_ns);
    if (standing->isAborted() && is_short) {
      if (auto verdict = judgeAborted(*standing)) {
        aborted.push_back(*std::move(verdict));
        continue;
      }
      // Whether the one before was under way is not known.
      if (standing->missing.empty()) continue;
    }
    auto trouble = judgeStanding(*standing);
    // Those who did not need who is missing may stand still further on.
    if (!trouble) {
      const auto behind = standingBehind(knowledge, group, standing->seq);
      if (behind) trouble = judgeStanding(*behind);
    }
    if (!trouble) {
      under_way += standing->inside.size() - standing->by_need.size();
      continue;
    }
    const std::uint64_t mismatch = first_mismatch[group];
    trouble->explained =
        mismatch > 0 && (mismatch <= trouble->verdict.seq ||
                         failedBehind(*standing, *trouble, mismatch));
    troubles.push_back(std::move(*trouble));
  }
  return troubles;
}

}  // namespace traced
