#include "analysis/diagnosis/timing_rule.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/lateness.h"
#include "analysis/diagnosis/straggler_rule.h"
#include "analysis/diagnosis/words.h"
#include "analysis/names.h"

namespace traced {
namespace {

void doubtAbsent(const JobState& job, JobVerdict& verdict) {
  const std::vector<std::uint32_t> absent = job.membersOf(verdict.group).absent;
  if (absent.empty()) return;
  verdict.finding = Confidence::kLikely;
  verdict.evidence.push_back(
      absl::StrCat("No trace of ", ranksText(absent), "."));
}

JobVerdict tellLate(const JobState& job, std::uint32_t group,
                    const LateCollective& late) {
  JobVerdict verdict;
  verdict.kind = VerdictKind::kLate;
  // When it came is recorded; that nobody else held it up is not.
  verdict.finding = Confidence::kCertain;
  verdict.culprit = Confidence::kLikely;
  verdict.ranks = verdict.culprits = {late.rank};
  verdict.group = group;
  verdict.seq = late.seq;
  const CollectiveTable& table = job.groups[group].collectives;
  const std::uint32_t signature = table.signatureOf(late.seq);
  if (signature != CollectiveTable::kNoSignature) {
    verdict.op = nameOf(job.signatures.at(signature).op);
  }
  verdict.since_ns = late.at_ns - late.lateness_ns;
  verdict.summary = absl::StrCat(
      "Rank ", late.rank, " came ", secondsText(late.lateness_ns), " late to ",
      verdict.op, " ", placeText(job, group, late.seq), ".");
  verdict.evidence.push_back(
      "That is more than ten times what the last rank usually takes.");
  verdict.advice.push_back(
      absl::StrCat("what rank ", late.rank, " did before this call"));
  return verdict;
}

// One time that stands out from all others.
std::optional<JobVerdict> findLate(const JobState& job, std::uint32_t group,
                                   const GroupLateness& lateness,
                                   const DiagnosisOptions& options) {
  const std::vector<LateCollective>& collectives = lateness.collectives();
  if (collectives.empty()) return std::nullopt;
  std::vector<std::int64_t> all;
  for (const LateCollective& one : collectives) all.push_back(one.lateness_ns);
  const std::int64_t usual = medianNs(std::move(all));
  const LateCollective& most =
      *std::max_element(collectives.begin(), collectives.end(),
                        [](const LateCollective& a, const LateCollective& b) {
                          return a.lateness_ns < b.lateness_ns;
                        });
  const bool stands_out = most.lateness_ns >= options.late_after_ns &&
                          most.lateness_ns / 10 >= usual;
  if (!stands_out) return std::nullopt;
  return tellLate(job, group, most);
}

}  // namespace

std::vector<JobVerdict> findTimingVerdicts(const JobState& job,
                                           const DiagnosisOptions& options) {
  std::vector<JobVerdict> verdicts;
  for (std::uint32_t group = 0; group < job.groups.size(); ++group) {
    // Whose trace is not there may have been later still: of a few that can be
    // doubted, with many of them nobody is known to have kept the others
    // waiting.
    if (!job.mostArePresent(group)) continue;
    const GroupLateness lateness(job, group);
    auto verdict = findStraggler(job, group, lateness);
    if (!verdict) verdict = findLate(job, group, lateness, options);
    if (!verdict) continue;
    doubtAbsent(job, *verdict);
    verdicts.push_back(*std::move(verdict));
  }
  return verdicts;
}

}  // namespace traced
