#include "analysis/diagnosis/stuck_groups/cut_off.h"
#include "analysis/diagnosis/stuck_groups/group_rules.h"

namespace traced {
namespace {

constexpr std::size_t kMaxStops = 3;
// A watchdog reports ends some tenths of a second late. An operation without a
// reported end for this long had really not ended.
constexpr std::int64_t kMinStuckNs = 1'000'000'000;

GroupStopped stoppedOn(const GroupStanding& standing, std::uint32_t rank,
                       const GroupStop& stop) {
  GroupStopped stopped{rank, stop.gave_up, {}, false, stop.why};
  const OperationRef* ref =
      standing.absence.refAtOrAfter(rank, standing.group, standing.seq);
  if (ref) stopped.after_ns = stop.at_ns - ref->at_ns;
  stopped.more_than = ref && ref->seq != standing.seq;
  return stopped;
}

// Returns whether a missing rank failed by itself. Its exception or death then
// explains more than the abort.
bool someMissingFailed(const GroupStanding& standing) {
  for (const std::uint32_t rank : standing.missing) {
    if (standing.job().rank(rank)->end.failed()) return true;
  }
  return false;
}

}  // namespace

void reportStops(const GroupStanding& standing, JobVerdict& verdict) {
  std::size_t reported = 0;
  for (const std::uint32_t rank : standing.joined()) {
    const GroupStop* stop = standing.stopOn(rank);
    if (!stop) continue;
    if (++reported > kMaxStops) return;
    verdict.reasons.push_back(stoppedOn(standing, rank, *stop));
  }
}

std::optional<JobVerdict> judgeAborted(const GroupStanding& standing) {
  if (someMissingFailed(standing)) return std::nullopt;
  const MissingRanks missing(standing);
  const bool by_missing = !missing.sure.empty();
  if (!by_missing && standing.longest_ns < kMinStuckNs) return std::nullopt;
  JobVerdict verdict;
  verdict.kind = VerdictKind::kAborted;
  verdict.finding = by_missing && standing.needsAll() ? missing.confidence
                                                      : Confidence::kLikely;
  verdict.culprit = Confidence::kUndecided;
  verdict.ranks = standing.inside;
  verdict.group = standing.group;
  verdict.seq = standing.seq;
  verdict.op = standing.op();
  verdict.since_ns = standing.since_ns;
  verdict.summary = {GroupAborted{standing.group, standing.call(),
                                  standing.inside, missing.sure}};
  for (std::size_t i = 0; i < missing.sure.size() && i < kMaxStops; ++i) {
    verdict.now.push_back(standing.absence.insteadOf(missing.sure[i]));
  }
  reportLost(missing.doubtful, verdict);
  reportStops(standing, verdict);
  verdict.reasons.push_back(PlainFact::kCutOffTooSoonToJudge);
  reportAbsent(standing, verdict);
  verdict.advice.push_back(AskWhyAborted{standing.inside});
  return verdict;
}

}  // namespace traced
