#include "absl/container/btree_map.h"
#include "analysis/diagnosis/standstill/group_rules.h"

namespace traced {
namespace {

// A program that goes on after a failure works with what the operation left.
void tellCallsAfterFailure(const GroupStanding& standing, JobVerdict& verdict) {
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
  verdict.evidence.push_back(CaughtFailure{ranks, calls, failed});
}

}  // namespace

void tellLost(const std::vector<std::uint32_t>& ranks, JobVerdict& verdict) {
  for (const std::uint32_t rank : ranks) {
    verdict.evidence.push_back(LostRecords{rank});
  }
}

void tellAbsent(const GroupStanding& standing, JobVerdict& verdict) {
  const std::vector<std::uint32_t>& absent = standing.members.absent;
  if (absent.empty()) return;
  verdict.evidence.push_back(NoTrace{absent});
}

void tellFailures(const GroupStanding& standing, JobVerdict& verdict) {
  constexpr std::size_t kMostTold = 2;
  absl::btree_map<std::string, std::vector<std::uint32_t>> ranks_of;
  for (const std::uint32_t rank : standing.failed) {
    const OperationRef* failure = standing.failureOn(rank);
    // What follows the first line is mostly a stack of C++.
    if (failure) {
      ranks_of[failure->error.substr(0, failure->error.find('\n'))].push_back(
          rank);
    }
  }
  std::size_t told = 0;
  for (const auto& [error, ranks] : ranks_of) {
    if (++told > kMostTold) break;
    verdict.evidence.push_back(FailedWith{ranks, error});
  }
  tellCallsAfterFailure(standing, verdict);
}

void tellUndecided(const GroupStanding& standing,
                   const std::vector<std::uint32_t>& lossy, Trouble& trouble) {
  JobVerdict& verdict = trouble.verdict;
  const std::vector<std::uint32_t>& absent = standing.members.absent;
  verdict.kind = VerdictKind::kUndecided;
  verdict.finding = verdict.culprit = Confidence::kUndecided;
  verdict.ranks = lossy;
  addRanks(verdict.ranks, absent);
  verdict.culprits.clear();
  verdict.summary = {DidNotEnd{standing.call(), trouble.inside}};
  tellLost(lossy, verdict);
  tellAbsent(standing, verdict);
  if (!absent.empty()) {
    verdict.advice.push_back(AskFiles{absent});
  }
  if (!lossy.empty()) {
    verdict.advice.push_back(AskAllRecords{lossy});
  }
}

}  // namespace traced
