#include "analysis/diagnosis/endings/ending_rules.h"
#include "analysis/diagnosis/verdicts/call_sites.h"
#include "analysis/stream/names.h"

namespace traced {
namespace {

JobVerdict about(const RankState& rank, const LocalFinding& finding,
                 VerdictKind kind) {
  JobVerdict verdict;
  verdict.kind = kind;
  verdict.ranks = verdict.culprits = {rank.rank};
  verdict.group = finding.operation.group;
  verdict.pair = finding.operation.pair;
  verdict.seq = finding.operation.seq;
  verdict.op = nameOf(finding.operation.op);
  verdict.since_ns = finding.operation.at_ns;
  if (finding.repeats > 1) {
    verdict.reasons.push_back(FirstOfMany{finding.repeats, rank.rank});
  }
  return verdict;
}

}  // namespace

std::vector<JobVerdict> findLocalVerdicts(const JobState& job) {
  std::vector<JobVerdict> verdicts;
  for (const RankState& rank : job.ranks) {
    if (rank.never_waited) {
      JobVerdict verdict =
          about(rank, *rank.never_waited, VerdictKind::kNeverWaited);
      verdict.finding = verdict.culprit = Confidence::kCertain;
      verdict.summary = {
          NeverWaited{rank.rank, callOn(rank.never_waited->operation)}};
      verdict.advice.push_back(PlainFact::kAskWaitForWork);
      verdicts.push_back(std::move(verdict));
    }
    if (rank.overlap) {
      JobVerdict verdict =
          about(rank, *rank.overlap, VerdictKind::kBufferOverlap);
      // The program may have learned from a future that the first operation had
      // ended.
      verdict.finding = Confidence::kLikely;
      verdict.culprit = Confidence::kCertain;
      verdict.summary = {BuffersOverlap{rank.rank,
                                        callOn(rank.overlap->operation),
                                        callOn(*rank.overlap->other)}};
      verdict.advice.push_back(PlainFact::kAskWaitBetween);
      verdicts.push_back(std::move(verdict));
    }
  }
  return verdicts;
}

}  // namespace traced
