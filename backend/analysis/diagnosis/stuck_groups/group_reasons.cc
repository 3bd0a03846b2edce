#include "absl/container/btree_map.h"
#include "analysis/diagnosis/stuck_groups/group_rules.h"

namespace traced {
namespace {

// Adds that a program caught the failure and continued, with whatever data the
// operation left.
void reportCallsAfterFailure(const GroupStanding& standing,
                             JobVerdict& verdict) {
  std::vector<std::uint32_t> ranks;
  std::uint64_t calls = 0, failed = 0;
  for (const std::uint32_t rank : standing.failed) {
    const RankState& state = *standing.job().rank(rank);
    if (!standing.failureOn(rank) || state.issued_after_failure == 0) continue;
    ranks.push_back(rank);
    calls += state.issued_after_failure;
    failed += state.failed_after_failure;
  }
  if (ranks.empty()) return;
  verdict.reasons.push_back(CaughtFailure{ranks, calls, failed});
}

}  // namespace

void reportLost(const std::vector<std::uint32_t>& ranks, JobVerdict& verdict) {
  for (const std::uint32_t rank : ranks) {
    verdict.reasons.push_back(LostRecords{rank});
  }
}

void reportAbsent(const GroupStanding& standing, JobVerdict& verdict) {
  const std::vector<std::uint32_t>& absent = standing.members.absent;
  if (absent.empty()) return;
  verdict.reasons.push_back(NoTrace{absent});
}

void reportFailures(const GroupStanding& standing, JobVerdict& verdict) {
  constexpr std::size_t kMaxReported = 2;
  absl::btree_map<std::string, std::vector<std::uint32_t>> ranks_of;
  for (const std::uint32_t rank : standing.failed) {
    const OperationRef* failure = standing.failureOn(rank);
    // The lines after the first are mostly a C++ stack.
    if (failure) {
      ranks_of[failure->error.substr(0, failure->error.find('\n'))].push_back(
          rank);
    }
  }
  std::size_t reported = 0;
  for (const auto& [error, ranks] : ranks_of) {
    if (++reported > kMaxReported) break;
    verdict.reasons.push_back(FailedWith{ranks, error});
  }
  reportCallsAfterFailure(standing, verdict);
}

void reportUndecided(const GroupStanding& standing,
                     const std::vector<std::uint32_t>& lossy,
                     StuckOperation& stuck) {
  JobVerdict& verdict = stuck.verdict;
  const std::vector<std::uint32_t>& absent = standing.members.absent;
  verdict.kind = VerdictKind::kUndecided;
  verdict.finding = verdict.culprit = Confidence::kUndecided;
  verdict.ranks = lossy;
  addRanks(verdict.ranks, absent);
  verdict.culprits.clear();
  verdict.summary = {DidNotEnd{standing.call(), stuck.inside}};
  reportLost(lossy, verdict);
  reportAbsent(standing, verdict);
  if (!absent.empty()) {
    verdict.advice.push_back(AskFiles{absent});
  }
  if (!lossy.empty()) {
    verdict.advice.push_back(AskAllRecords{lossy});
  }
}

}  // namespace traced
