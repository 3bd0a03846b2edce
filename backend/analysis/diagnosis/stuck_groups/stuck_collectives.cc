#include <algorithm>
#include <utility>

#include "analysis/diagnosis/stuck_groups/group_rules.h"

namespace traced {
namespace {

std::optional<StuckOperation> judgeStanding(const GroupStanding& standing) {
  if (!standing.missing.empty()) return judgeMissing(standing);
  return standing.failed.empty() ? judgeHung(standing) : judgeFailed(standing);
}

// Returns whether all ranks joined an operation and some failed or died in it.
// All of these must have already called a later one on which ranks disagree.
bool failedBehind(const GroupStanding& standing, const StuckOperation& stuck,
                  std::uint64_t mismatch) {
  const bool failed = stuck.verdict.kind == VerdictKind::kFailed ||
                      stuck.verdict.kind == VerdictKind::kLeftEarly;
  if (!failed || !stuck.missing.empty()) return false;
  const CollectiveTable& table =
      standing.job().groups[standing.group].collectives;
  return std::all_of(stuck.inside.begin(), stuck.inside.end(),
                     [&](std::uint32_t rank) {
                       const MemberProgress* member = table.member(rank);
                       return member && member->lastCalled() >= mismatch;
                     });
}

}  // namespace

std::vector<StuckOperation> findStuckCollectives(
    const AbsenceEvidence& absence,
    const std::vector<std::uint64_t>& first_mismatch, std::uint64_t& under_way,
    std::vector<JobVerdict>& aborted) {
  std::vector<StuckOperation> all_stuck;
  for (std::uint32_t group = 0; group < absence.job().groups.size(); ++group) {
    const auto standing = standingOf(absence, group);
    if (!standing) continue;
    const bool is_short = !absence.isStuck(standing->longest_ns);
    if (standing->isAborted() && is_short) {
      if (auto verdict = judgeAborted(*standing)) {
        aborted.push_back(*std::move(verdict));
        continue;
      }
      // It is unknown whether the operation was pending.
      if (standing->missing.empty()) continue;
    }
    auto stuck = judgeStanding(*standing);
    // Ranks that do not depend on the missing ones may be stuck in a later
    // operation.
    if (!stuck) {
      const auto behind = standingAfter(absence, group, standing->seq);
      if (behind) stuck = judgeStanding(*behind);
    }
    if (!stuck) {
      under_way += standing->inside.size() - standing->by_need.size();
      continue;
    }
    const std::uint64_t mismatch = first_mismatch[group];
    stuck->explained =
        mismatch > 0 && (mismatch <= stuck->verdict.seq ||
                         failedBehind(*standing, *stuck, mismatch));
    all_stuck.push_back(std::move(*stuck));
  }
  return all_stuck;
}

}  // namespace traced
