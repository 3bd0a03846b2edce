#include "analysis/diagnosis/lateness/timing_rule.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/lateness/lateness.h"
#include "analysis/diagnosis/lateness/straggler_rule.h"
#include "analysis/diagnosis/telling/words.h"
#include "analysis/stream/names.h"

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
                    const LateCollective& late, bool on_one_clock) {
  // Between clocks what is proven is a little less.
  const bool proven = late.proven_ns >= late.lateness_ns / 2;
  const std::int64_t late_ns = proven ? late.proven_ns : late.lateness_ns;
  JobVerdict verdict;
  verdict.kind = VerdictKind::kLate;
  // When it came is recorded; that nobody else held it up is not.
  verdict.finding = proven ? Confidence::kCertain : Confidence::kLikely;
  verdict.culprit = Confidence::kLikely;
  verdict.ranks = verdict.culprits = {late.rank};
  verdict.group = group;
  verdict.seq = late.seq;
  const CollectiveTable& table = job.groups[group].collectives;
  const std::uint32_t signature = table.signatureOf(late.seq);
  if (signature != CollectiveTable::kNoSignature) {
    verdict.op = nameOf(job.signatures.at(signature).op);
  }
  verdict.since_ns = late.at_ns - late_ns;
  verdict.summary = absl::StrCat("Rank ", late.rank, " came ",
                                 secondsText(late_ns), " late to ", verdict.op,
                                 " ", placeText(job, group, late.seq), ".");
  verdict.evidence.push_back(
      "That is more than ten times what the last rank usually takes.");
  if (!on_one_clock) {
    verdict.evidence.push_back(
        proven
            ? "Its members read several clocks: it is that at least."
            : "It is compared with the ranks of its host; on others some may "
              "have been later.");
  }
  verdict.advice.push_back(
      absl::StrCat("what rank ", late.rank, " did before this call"));
  return verdict;
}

// Whether a wait was long, and ten times longer than usual.
StandsOut standsOut(const GroupLateness& lateness,
                    const DiagnosisOptions& options) {
  std::vector<std::int64_t> all;
  for (const LateCollective& one : lateness.collectives()) {
    if (one.sampled) all.push_back(one.lateness_ns);
  }
  const std::int64_t usual = all.empty() ? 0 : medianNs(std::move(all));
  return [usual, least = options.late_after_ns](const LateCollective& one) {
    return one.lateness_ns >= least && one.lateness_ns / 10 >= usual;
  };
}

// The longest of those that stand out.
std::optional<JobVerdict> findLate(const JobState& job, std::uint32_t group,
                                   const GroupLateness& lateness,
                                   const StandsOut& stands_out) {
  const std::vector<LateCollective>& collectives = lateness.collectives();
  if (collectives.empty()) return std::nullopt;
  const LateCollective& most =
      *std::max_element(collectives.begin(), collectives.end(),
                        [](const LateCollective& a, const LateCollective& b) {
                          return a.lateness_ns < b.lateness_ns;
                        });
  if (!stands_out(most)) return std::nullopt;
  return tellLate(job, group, most, lateness.onOneClock());
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
    const StandsOut stands_out = standsOut(lateness, options);
    for (auto& verdict : {findStraggler(job, group, lateness, stands_out),
                          findLate(job, group, lateness, stands_out)}) {
      if (!verdict) continue;
      verdicts.push_back(*verdict);
      doubtAbsent(job, verdicts.back());
    }
  }
  return verdicts;
}

}  // namespace traced
