#include <algorithm>

#include "analysis/diagnosis/stuck_operations/stuck_operation.h"
#include "analysis/diagnosis/wiring/wiring_rule.h"

namespace traced {
namespace {

constexpr std::size_t kMaxNames = 3;

// Returns whether the members meet by name. Gloo's ranks find each other in the
// store by the group's name. NCCL may instead split the world's communicator,
// which needs no name.
bool meetByName(const JobState& job, const std::vector<std::uint32_t>& groups) {
  return std::all_of(groups.begin(), groups.end(), [&](std::uint32_t group) {
    return job.catalog.groups()[group].engine().on_host;
  });
}

}  // namespace

std::vector<JobVerdict> findSharedNames(const JobState& job) {
  JobVerdict verdict;
  verdict.kind = VerdictKind::kSharedGroupName;
  verdict.finding = Confidence::kCertain;
  std::size_t names = 0;
  for (const std::vector<std::uint32_t>& groups :
       job.names.shared(job.catalog)) {
    if (!meetByName(job, groups)) continue;
    for (const std::uint32_t group : groups) {
      addRanks(verdict.ranks, job.membersOf(group).present);
    }
    if (++names == 1) {
      verdict.group = groups.front();
      verdict.summary = {NameIsShared{groups}};
    } else if (names <= kMaxNames) {
      verdict.reasons.push_back(NameIsShared{groups, true});
    }
  }
  if (names == 0) return {};
  if (names > kMaxNames) {
    verdict.reasons.push_back(MoreSharedNames{names - kMaxNames});
  }
  verdict.ranks.erase(std::unique(verdict.ranks.begin(), verdict.ranks.end()),
                      verdict.ranks.end());
  verdict.reasons.push_back(PlainFact::kMetByName);
  verdict.advice.push_back(PlainFact::kAskNewGroups);
  return {std::move(verdict)};
}

}  // namespace traced
