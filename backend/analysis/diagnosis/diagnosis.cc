#include "analysis/diagnosis/diagnosis.h"

#include <algorithm>
#include <future>
#include <utility>

#include "analysis/diagnosis/call_places.h"
#include "analysis/diagnosis/job_reader.h"
#include "analysis/diagnosis/local_rule.h"
#include "analysis/diagnosis/mismatch_rule.h"
#include "analysis/diagnosis/slow_peer_rule.h"
#include "analysis/diagnosis/split_rule.h"
#include "analysis/diagnosis/timing_rule.h"
#include "analysis/diagnosis/trouble.h"
#include "analysis/diagnosis/wait_graph.h"
#include "analysis/stream_reader.h"

namespace traced {
namespace {

void append(std::vector<JobVerdict>& to, std::vector<JobVerdict> from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

std::vector<std::uint64_t> firstMismatches(
    const JobState& job, const std::vector<JobVerdict>& mismatches) {
  std::vector<std::uint64_t> first(job.groups.size(), 0);
  for (const JobVerdict& verdict : mismatches) {
    std::uint64_t& seq = first[verdict.group];
    if (!verdict.pair && (seq == 0 || verdict.seq < seq)) seq = verdict.seq;
  }
  return first;
}

// What hides the rest comes first; what cannot be known last.
void order(std::vector<JobVerdict>& verdicts) {
  std::stable_sort(
      verdicts.begin(), verdicts.end(),
      [](const JobVerdict& a, const JobVerdict& b) { return a.kind < b.kind; });
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

  // Of the rules these two take longest, as they look at all times.
  auto slow_peers =
      std::async(std::launch::async, [&job] { return findSlowPeers(job); });
  std::vector<JobVerdict> of_timing = findTimingVerdicts(job, options);

  verdicts = findMismatches(job);
  append(verdicts, findSplitMismatches(job, set));
  const Knowledge knowledge(job, options);
  PairFindings pairs = findPairTroubles(knowledge);
  std::vector<Trouble> troubles = findGroupTroubles(
      knowledge, firstMismatches(job, verdicts), diagnosis.under_way);
  append(verdicts, std::move(pairs.verdicts));
  std::move(pairs.troubles.begin(), pairs.troubles.end(),
            std::back_inserter(troubles));
  append(verdicts, rootsOf(job, std::move(troubles)));
  append(verdicts, findLocalVerdicts(job));
  append(verdicts, slow_peers.get());
  append(verdicts, std::move(of_timing));
  order(verdicts);
  findCallPlaces(job, set, verdicts);
  diagnosis.culprits = culpritsOf(verdicts);
  return diagnosis;
}

Diagnosis diagnose(const TraceSet& set, const DiagnosisOptions& options) {
  return judge(readJob(set, readingThreads(set)), set, options);
}

}  // namespace traced
