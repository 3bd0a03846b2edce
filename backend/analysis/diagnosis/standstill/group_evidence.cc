#include "absl/container/btree_map.h"
#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/standstill/group_rules.h"
#include "analysis/diagnosis/telling/words.h"

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
  std::string who = ranksText(ranks);
  who.front() = 'R';
  const std::string result =
      failed == 0 ? ""
      : failed == calls
          ? (calls == 1 ? ", which failed, too" : ", which all failed, too")
          : absl::StrCat(", ", failed, " of which failed, too");
  verdict.evidence.push_back(
      absl::StrCat(who, " caught that failure and made ", calls,
                   calls == 1 ? " more call" : " more calls", result, "."));
}

}  // namespace

void tellLost(const GroupStanding& standing,
              const std::vector<std::uint32_t>& ranks, JobVerdict& verdict) {
  for (const std::uint32_t rank : ranks) {
    verdict.evidence.push_back(
        absl::StrCat("The trace of rank ", rank, " lost ",
                     standing.job().rank(rank)->lost, "."));
  }
}

void tellAbsent(const GroupStanding& standing, JobVerdict& verdict) {
  const std::vector<std::uint32_t>& absent = standing.members.absent;
  if (absent.empty()) return;
  verdict.evidence.push_back(
      absl::StrCat("No trace of ", ranksText(absent), "."));
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
    verdict.evidence.push_back(
        absl::StrCat("It failed on ", ranksText(ranks),
                     error.empty() ? "." : absl::StrCat(": ", error)));
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
  verdict.summary =
      absl::StrCat(standing.what(), " did not end on ",
                   ranksText(trouble.inside), ", and why cannot be known.");
  tellLost(standing, lossy, verdict);
  tellAbsent(standing, verdict);
  if (!absent.empty()) {
    verdict.advice.push_back(
        absl::StrCat("to decide: the files of ", ranksText(absent)));
  }
  if (!lossy.empty()) {
    verdict.advice.push_back(
        absl::StrCat("to decide: all records of ", ranksText(lossy),
                     "; a larger TRACED_RING_MB loses fewer"));
  }
}

}  // namespace traced
