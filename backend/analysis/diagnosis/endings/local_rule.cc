#include "analysis/diagnosis/endings/local_rule.h"

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/telling/words.h"
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
    verdict.evidence.push_back(absl::StrCat("The first of ", finding.repeats,
                                            " on rank ", rank.rank, "."));
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
      verdict.summary =
          absl::StrCat("Rank ", rank.rank, " never waited for ",
                       operationText(job, rank.never_waited->operation),
                       "; the backend completes it only in a wait.");
      verdict.advice.push_back("a wait() for the Work that this call returned");
      verdicts.push_back(std::move(verdict));
    }
    if (rank.overlap) {
      JobVerdict verdict =
          about(rank, *rank.overlap, VerdictKind::kBufferOverlap);
      // That the first had ended its future may have told the program.
      verdict.finding = Confidence::kLikely;
      verdict.culprit = Confidence::kCertain;
      verdict.summary = absl::StrCat(
          "Rank ", rank.rank, " issued ",
          operationText(job, rank.overlap->operation), " on memory that ",
          operationText(job, *rank.overlap->other),
          " was still using, and one of them writes it.");
      verdict.advice.push_back("a wait between the two, or a buffer for each");
      verdicts.push_back(std::move(verdict));
    }
  }
  return verdicts;
}

}  // namespace traced
