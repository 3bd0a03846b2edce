#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/strings/match.h"
#include "analysis/diagnosis/endings/ending_rules.h"
#include "analysis/diagnosis/job_state/silence.h"
#include "analysis/diagnosis/verdicts/call_sites.h"

namespace traced {
namespace {

constexpr std::size_t kMaxReported = 4;

// Returns whether the program caught a failed operation, issued others, and
// then ended with an exception that does not quote that failure.
bool endedByAnother(const RankState& rank) {
  constexpr std::size_t kQuoted = 40;
  const auto& failure = rank.first_failure;
  return failure && rank.end.kind == EndKind::kRaised && rank.last_issued &&
         rank.last_issued->at_ns > failure->at_ns && !failure->error.empty() &&
         !absl::StrContains(rank.end.exception,
                            failure->error.substr(0, kQuoted));
}

// Returns the ranks whose end no operation explains, in order of their ends.
// These are the failed ranks that continued after a failed operation and,
// unless `only_others`, those without a failed operation.
std::vector<const RankState*> failedAlone(const JobState& job,
                                          bool only_others) {
  std::vector<const RankState*> failed;
  for (const RankState& rank : job.ranks) {
    const bool alone = !rank.first_failure && !only_others;
    if (rank.end.failed() && (alone || endedByAnother(rank))) {
      failed.push_back(&rank);
    }
  }
  std::stable_sort(failed.begin(), failed.end(),
                   [](const RankState* a, const RankState* b) {
                     return a->ended_ns < b->ended_ns;
                   });
  return failed;
}

// Returns whether two ranks failed in the same way. Exceptions compare by type
// only, because their messages may differ in numbers.
bool failedAlike(const ProcessEnd& a, const ProcessEnd& b) {
  const auto typeOf = [](const ProcessEnd& end) {
    const std::string line = end.exceptionLine();
    return line.substr(0, line.find(':'));
  };
  if (a.kind != b.kind) return false;
  if (a.kind == EndKind::kRaised) return typeOf(a) == typeOf(b);
  if (a.kind == EndKind::kKilled) return a.signal == b.signal;
  return endedAlike(a, b);
}

// Returns how long the rank had been in an operation when an external signal
// may have ended it. Absent if that was shorter than `hung_after_ns`.
std::optional<std::int64_t> stoodStillNs(const RankState& rank,
                                         const DiagnosisOptions& options) {
  const bool may_be =
      rank.end.mayBeConsequence() && rank.end_seen_ns && !rank.inside.empty();
  if (!may_be) return std::nullopt;
  const std::int64_t waited_ns = *rank.end_seen_ns - rank.inside.front().at_ns;
  if (waited_ns < options.hung_after_ns) return std::nullopt;
  return waited_ns;
}

// Returns the calls that create groups in which ranks were killed.
std::vector<KilledCreating> killedCreating(const JobState& job) {
  using Key = std::pair<std::string, std::string>;
  absl::btree_map<Key, KilledCreating> calls;
  for (const RankState& rank : job.ranks) {
    if (!rank.creating) continue;
    Creating call = *rank.creating;
    const std::int64_t later_ns =
        rank.end_seen_ns.value_or(rank.last_ns) - rank.last_ns;
    call.for_ns +=
        static_cast<std::uint64_t>(std::max<std::int64_t>(later_ns, 0));
    KilledCreating& killed = calls[{call.function, call.site}];
    if (!killed.ranks.empty()) {
      call.for_ns = std::min(call.for_ns, killed.call.for_ns);
    }
    killed.call = std::move(call);
    killed.ranks.push_back(rank.rank);
  }
  std::vector<KilledCreating> all;
  for (auto& [key, killed] : calls) all.push_back(std::move(killed));
  return all;
}

// Returns the verdict for a job in which every rank was killed. Empty if
// another verdict explains the end or reports a hang.
std::vector<JobVerdict> findKilledJob(const JobState& job,
                                      const std::vector<JobVerdict>& others) {
  absl::btree_map<std::string, std::vector<std::uint32_t>> ends;
  JobVerdict verdict;
  for (const RankState& rank : job.ranks) {
    if (rank.end.kind != EndKind::kKilled) return {};
    ends[signalName(rank.end.signal)].push_back(rank.rank);
    verdict.ranks.push_back(rank.rank);
    verdict.since_ns =
        std::min(verdict.since_ns.value_or(rank.ended_ns), rank.ended_ns);
  }
  const bool explained =
      std::any_of(others.begin(), others.end(), [](const JobVerdict& other) {
        const VerdictTraits& traits = traitsOf(other.kind);
        return traits.explains_failures || traits.is_stuck;
      });
  if (explained || ends.empty()) return {};
  std::sort(verdict.ranks.begin(), verdict.ranks.end());
  verdict.kind = VerdictKind::kProcessFailed;
  verdict.finding = Confidence::kCertain;
  const Silence silence = silenceOfKilled(job);
  verdict.summary = {JobKilled{{ends.begin(), ends.end()},
                               verdict.ranks,
                               silence.ranks,
                               silence.least_ns}};
  if (!silence.ranks.empty()) {
    verdict.reasons.push_back(SilenceUnexplained{silence.ranks.size() > 1,
                                                 silence.may_create,
                                                 silence.longest_before_ns});
    verdict.advice.push_back(PlainFact::kAskDumpOfSilentRank);
  }
  for (KilledCreating& killed : killedCreating(job)) {
    verdict.reasons.push_back(std::move(killed));
  }
  verdict.reasons.push_back(PlainFact::kSignalSenderUnknown);
  verdict.advice.push_back(PlainFact::kAskLogsOfSystem);
  return {std::move(verdict)};
}

}  // namespace

std::vector<JobVerdict> findFailedProcesses(
    const JobState& job, const DiagnosisOptions& options,
    const std::vector<JobVerdict>& others) {
  const auto explains = [](const JobVerdict& verdict) {
    return traitsOf(verdict.kind).explains_failures;
  };
  const bool explained = std::any_of(others.begin(), others.end(), explains);
  const std::vector<const RankState*> failed = failedAlone(job, explained);
  if (failed.empty()) return findKilledJob(job, others);
  const RankState& first = *failed.front();
  JobVerdict verdict;
  verdict.kind = VerdictKind::kProcessFailed;
  // The failure is recorded. Whether it ended the job is not.
  verdict.finding = Confidence::kCertain;
  verdict.culprit = Confidence::kLikely;
  verdict.since_ns = first.ended_ns;
  std::size_t reported = 0;
  for (const RankState* rank : failed) {
    verdict.ranks.push_back(rank->rank);
    if (failedAlike(rank->end, first.end)) {
      verdict.culprits.push_back(rank->rank);
    }
    if (rank == &first || ++reported > kMaxReported) continue;
    AlsoEnded also{rank->rank, {}};
    if (rank->clock == first.clock) {
      also.later_ns = rank->ended_ns - first.ended_ns;
    }
    verdict.reasons.push_back(also);
  }
  if (first.first_failure) {
    // The process may have ended by its own fault or because of that failure:
    // the trace does not show which.
    verdict.culprit = Confidence::kUndecided;
    verdict.reasons.push_back(ContinuedAfterFailure{
        first.rank, callOn(*first.first_failure), callOn(*first.last_issued)});
  }
  std::sort(verdict.ranks.begin(), verdict.ranks.end());
  std::sort(verdict.culprits.begin(), verdict.culprits.end());
  verdict.summary = {ProcessesFailed{verdict.culprits, first.rank}};
  if (const auto waited_ns = stoodStillNs(first, options)) {
    verdict.reasons.push_back(
        HadBeenIn{first.rank, callOn(first.inside.front()), *waited_ns});
    verdict.culprits.clear();
    verdict.culprit = Confidence::kUndecided;
  }
  verdict.advice.push_back(AskLog{{first.rank}});
  return {std::move(verdict)};
}

}  // namespace traced
