#include "analysis/diagnosis/diagnosis.h"

#include <algorithm>
#include <future>
#include <iterator>
#include <utility>

#include "analysis/diagnosis/endings/ending_rules.h"
#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/lateness/causes.h"
#include "analysis/diagnosis/lateness/gains.h"
#include "analysis/diagnosis/rules.h"
#include "analysis/diagnosis/verdicts/call_sites.h"
#include "analysis/diagnosis/wiring/wiring_rule.h"
#include "analysis/reading/stream_reader.h"

namespace traced {
namespace {

void append(std::vector<JobVerdict>& to, std::vector<JobVerdict> from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

// Removes each single-culprit lateness verdict about an operation that also has
// a failure verdict: the latter already reports the lateness.
void mergeLate(std::vector<JobVerdict>& verdicts) {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> failed;
  for (const JobVerdict& verdict : verdicts) {
    if (verdict.kind != VerdictKind::kFailed) continue;
    failed.emplace_back(verdict.group, verdict.seq);
  }
  std::erase_if(verdicts, [&](const JobVerdict& verdict) {
    return verdict.kind == VerdictKind::kLate && verdict.culprits.size() == 1 &&
           std::find(failed.begin(), failed.end(),
                     std::pair(verdict.group, verdict.seq)) != failed.end();
  });
}

// Sorts by kind: root causes first, undecidable cases last. Keeps the order
// within a kind.
void rootsFirst(std::vector<JobVerdict>& verdicts) {
  std::stable_sort(
      verdicts.begin(), verdicts.end(),
      [](const JobVerdict& a, const JobVerdict& b) { return a.kind < b.kind; });
}

// Lowers each verdict's certainty to the strongest one that its kind can prove.
void keepToProofs(std::vector<JobVerdict>& verdicts) {
  for (JobVerdict& verdict : verdicts) {
    const Certainty strongest = strongestOf(verdict.kind);
    verdict.finding = std::max(verdict.finding, strongest.finding);
    verdict.culprit = std::max(verdict.culprit, strongest.culprit);
  }
}

// Weakens verdicts that compare ranks, because these ranks may belong to two
// runs.
void doubtComparisons(std::vector<JobVerdict>& verdicts) {
  for (JobVerdict& verdict : verdicts) {
    if (traitsOf(verdict.kind).of_one_rank) continue;
    weaken(verdict, PlainFact::kMayBeOfTwoRuns);
  }
}

// Weakens verdicts that compare ranks in groups with an unknown engine. Such an
// engine may let a rank proceed without the others and may reorder operations.
void doubtUnknownEngines(const JobState& job,
                         std::vector<JobVerdict>& verdicts) {
  const std::vector<JobGroup>& groups = job.catalog.groups();
  for (JobVerdict& verdict : verdicts) {
    const bool compares = !traitsOf(verdict.kind).of_one_rank &&
                          verdict.kind != VerdictKind::kFailed &&
                          verdict.kind != VerdictKind::kUndecided;
    if (!compares) continue;
    for (std::uint32_t i = 0; i < groups.size(); ++i) {
      // A straggler found by replay is one in all groups.
      const bool of_all = verdict.kind == VerdictKind::kStraggler &&
                          verdict.group == GroupCatalog::kNone;
      const bool concerns = of_all || verdict.group == i;
      if (!concerns || groups[i].engine().ends_prove_starts) continue;
      weaken(verdict, UnknownEngine{groups[i].backend});
      break;
    }
  }
}

std::vector<std::uint32_t> endedUnclosed(const JobState& job) {
  std::vector<std::uint32_t> ranks;
  bool any_died = false;
  for (const RankState& rank : job.ranks) {
    if (rank.end.kind != EndKind::kDied && rank.end.kind != EndKind::kKilled) {
      return {};
    }
    any_died |= rank.end.kind == EndKind::kDied;
    ranks.push_back(rank.rank);
  }
  if (!any_died) ranks.clear();
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

std::vector<std::uint32_t> culpritsOf(const std::vector<JobVerdict>& verdicts) {
  std::vector<std::uint32_t> culprits;
  for (const JobVerdict& verdict : verdicts) {
    culprits.insert(culprits.end(), verdict.culprits.begin(),
                    verdict.culprits.end());
  }
  std::sort(culprits.begin(), culprits.end());
  culprits.erase(std::unique(culprits.begin(), culprits.end()), culprits.end());
  return culprits;
}

}  // namespace

Diagnosis judge(JobState read, const TraceSet& set,
                const DiagnosisOptions& options) {
  Diagnosis diagnosis;
  diagnosis.job = std::move(read);
  const JobState& job = diagnosis.job;
  std::vector<JobVerdict>& verdicts = diagnosis.verdicts;

  ProgramOrder order(job, set);
  const std::vector<JobVerdict> none;
  std::vector<std::future<std::vector<JobVerdict>>> beside;
  for (const Rule& rule : rules()) {
    if (!rule.canJudge(job)) {
      diagnosis.rules_left_out.push_back(rule.name);
    } else if (rule.beside) {
      const RuleInput input{job,  set,   options,
                            none, order, diagnosis.under_way};
      beside.push_back(std::async(std::launch::async, rule.find, input));
    }
  }
  for (const Rule& rule : rules()) {
    if (rule.beside || !rule.canJudge(job)) continue;
    append(verdicts, rule.find({job, set, options, verdicts, order,
                                diagnosis.under_way}));
  }
  for (auto& found : beside) append(verdicts, found.get());
  if (auto failed = unreportedFailures(job, verdicts)) {
    verdicts.push_back(*std::move(failed));
  }
  mergeLate(verdicts);
  if (options.replay && hasOwnTimes(job)) {
    findGains(job, set, verdicts);
    findCauses(job, set, verdicts);
  }
  keepToProofs(verdicts);
  doubtUnknownEngines(job, verdicts);
  doubtWiring(job, verdicts);
  if (set.may_mix_runs) doubtComparisons(verdicts);
  rootsFirst(verdicts);
  for (const RankState& rank : job.ranks) {
    if (rank.end_unknown) diagnosis.end_unknown.push_back(rank.rank);
  }
  if (verdicts.empty()) diagnosis.ended_unclosed = endedUnclosed(job);
  findCallSites(job, set, verdicts);
  diagnosis.culprits = culpritsOf(verdicts);
  return diagnosis;
}

Diagnosis diagnose(const TraceSet& set, const DiagnosisOptions& options) {
  return judge(readJob(set, readingThreads(set)), set, options);
}

}  // namespace traced
