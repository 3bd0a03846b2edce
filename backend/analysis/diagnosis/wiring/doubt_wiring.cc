#include <algorithm>
#include <utility>

#include "absl/container/btree_map.h"
#include "analysis/diagnosis/wiring/wiring_rule.h"

namespace traced {
namespace {

// Maps each group whose members may be wrongly connected to the reason.
using Reasons = absl::btree_map<std::uint32_t, Fact>;

Reasons reasonsOf(const JobState& job,
                  const std::vector<JobVerdict>& verdicts) {
  Reasons reasons;
  for (const std::vector<std::uint32_t>& groups :
       job.names.shared(job.catalog)) {
    for (const std::uint32_t group : groups) {
      reasons.insert_or_assign(group, OthersHaveItsName{group});
    }
  }
  for (const JobVerdict& verdict : verdicts) {
    if (verdict.kind != VerdictKind::kEndedUnjoined) continue;
    reasons.try_emplace(
        verdict.group,
        EndedBeforeCalled{{verdict.op, verdict.group, verdict.seq}});
  }
  for (std::uint32_t group = 0; group < job.groups.size(); ++group) {
    if (!job.names.namesOf(group).empty()) {
      reasons.try_emplace(group, HasSeveralNames{group});
    }
  }
  return reasons;
}

// Returns the reason to doubt a verdict, or nullptr. The reason is that of the
// verdict's group or, for a deadlock, of a group that its ranks are inside of.
const Fact* reasonFor(const JobState& job, const Reasons& reasons,
                      const JobVerdict& verdict) {
  const auto own = reasons.find(verdict.group);
  if (own != reasons.end()) return &own->second;
  if (verdict.kind != VerdictKind::kDeadlock) return nullptr;
  for (const std::uint32_t rank : verdict.ranks) {
    const RankState* state = job.rank(rank);
    if (!state) continue;
    for (const OperationRef& inside : state->inside) {
      const auto found = reasons.find(inside.group);
      if (found != reasons.end()) return &found->second;
    }
  }
  return nullptr;
}

// Doubts the culprits if they belong to a group with doubtful wiring. Such a
// group may hold them up, possibly during its creation, so that they join
// nothing else.
void doubtCulprits(const JobState& job, const Reasons& reasons,
                   JobVerdict& verdict) {
  for (const auto& [group, reason] : reasons) {
    const std::vector<std::uint32_t> members = job.membersOf(group).present;
    const bool is_of_culprits =
        std::any_of(verdict.culprits.begin(), verdict.culprits.end(),
                    [&](std::uint32_t rank) {
                      return std::find(members.begin(), members.end(), rank) !=
                             members.end();
                    });
    if (!is_of_culprits) continue;
    verdict.culprit = Confidence::kUndecided;
    verdict.reasons.push_back(reason);
    return;
  }
}

}  // namespace

void doubtWiring(const JobState& job, std::vector<JobVerdict>& verdicts) {
  const Reasons reasons = reasonsOf(job, verdicts);
  if (reasons.empty()) return;
  for (JobVerdict& verdict : verdicts) {
    const VerdictTraits& traits = traitsOf(verdict.kind);
    if (traits.of_one_rank || traits.about_wiring) continue;
    if (const Fact* reason = reasonFor(job, reasons, verdict)) {
      weaken(verdict, *reason);
    } else if (traits.is_stuck) {
      doubtCulprits(job, reasons, verdict);
    }
  }
}

}  // namespace traced
