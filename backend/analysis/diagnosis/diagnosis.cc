#include "analysis/diagnosis/diagnosis.h"

#include <algorithm>
#include <future>
#include <utility>

#include "analysis/diagnosis/local_rule.h"
#include "analysis/diagnosis/mismatch_rule.h"
#include "analysis/diagnosis/split_rule.h"
#include "analysis/diagnosis/timing_rule.h"
#include "analysis/diagnosis/trouble.h"
#include "analysis/diagnosis/wait_graph.h"
#include "analysis/stream_loader.h"

namespace traced {
namespace {

// Loads the next stream while the one before is matched.
JobState readJob(const TraceSet& set) {
  JobStateBuilder builder(set);
  StreamLoader loaders[] = {StreamLoader(set), StreamLoader(set)};
  const std::vector<std::size_t>& selected = set.selected;
  const auto load = [&](std::size_t i) {
    return loaders[i % 2].load(set.streams[selected[i]]);
  };
  std::future<StreamTable> next;
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const StreamTable table = next.valid() ? next.get() : load(i);
    if (i + 1 < selected.size()) {
      next = std::async(std::launch::async, load, i + 1);
    }
    builder.add(table);
  }
  return std::move(builder).finish();
}

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
  append(verdicts, findTimingVerdicts(job, options));
  order(verdicts);
  diagnosis.culprits = culpritsOf(verdicts);
  return diagnosis;
}

Diagnosis diagnose(const TraceSet& set, const DiagnosisOptions& options) {
  return judge(readJob(set), set, options);
}

}  // namespace traced
