#include "analysis/diagnosis/values/value_rules.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "analysis/reading/stream_reader.h"

namespace traced {

std::vector<JobVerdict> findValueVerdicts(const JobState& job,
                                          const TraceSet& set) {
  const auto any = [&job](bool RankState::*flag) {
    return std::any_of(job.ranks.begin(), job.ranks.end(),
                       [flag](const RankState& rank) { return rank.*flag; });
  };
  std::vector<std::unique_ptr<ValueRule>> rules;
  if (any(&RankState::has_hashes)) rules.push_back(transferRule(job));
  if (any(&RankState::has_statistics)) {
    rules.push_back(nanRule(job));
    rules.push_back(overflowRule(job));
  }
  if (any(&RankState::has_replicas)) rules.push_back(replicasRule(job));
  if (rules.empty()) return {};
  readStreams(set, [&](std::size_t, const StreamTable& table) {
    const ExaminedStream stream(table, job.catalog);
    for (const auto& rule : rules) rule->add(stream);
  });
  std::vector<JobVerdict> verdicts;
  for (const auto& rule : rules) {
    std::vector<JobVerdict> more = rule->verdicts();
    std::move(more.begin(), more.end(), std::back_inserter(verdicts));
  }
  return verdicts;
}

}  // namespace traced
