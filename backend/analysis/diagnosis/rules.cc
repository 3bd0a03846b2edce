#include "analysis/diagnosis/rules.h"

#include <iterator>
#include <utility>

#include "analysis/diagnosis/endings/ending_rules.h"
#include "analysis/diagnosis/gradients/gradient_rules.h"
#include "analysis/diagnosis/lateness/lateness_rules.h"
#include "analysis/diagnosis/messages/stuck_messages.h"
#include "analysis/diagnosis/mismatch/mismatch_rules.h"
#include "analysis/diagnosis/program/blame.h"
#include "analysis/diagnosis/slow_peers/slow_links.h"
#include "analysis/diagnosis/stuck_groups/group_rules.h"
#include "analysis/diagnosis/stuck_groups/wait_graph.h"
#include "analysis/diagnosis/stuck_operations/absence_evidence.h"
#include "analysis/diagnosis/stuck_operations/stuck_operation.h"
#include "analysis/diagnosis/values/value_rules.h"
#include "analysis/diagnosis/wiring/wiring_rule.h"

namespace traced {
namespace {

std::vector<std::uint64_t> firstMismatches(
    const JobState& job, const std::vector<JobVerdict>& mismatches) {
  std::vector<std::uint64_t> first(job.groups.size(), 0);
  for (const JobVerdict& verdict : mismatches) {
    std::uint64_t& seq = first[verdict.group];
    if (!verdict.pair && (seq == 0 || verdict.seq < seq)) seq = verdict.seq;
  }
  return first;
}

// Finds where the job is stuck, and messages that differ.
std::vector<JobVerdict> findStuckGroups(const RuleInput& input) {
  const AbsenceEvidence absence(input.job, input.options);
  PairFindings pairs = findStuckMessages(absence);
  std::vector<JobVerdict> aborted;
  std::vector<StuckOperation> all_stuck =
      findStuckCollectives(absence, firstMismatches(input.job, input.found),
                           input.under_way, aborted);
  std::vector<JobVerdict> verdicts = std::move(pairs.verdicts);
  for (JobVerdict& verdict : verdicts) {
    nameDeviants(input.order.deviantsAt(verdict.group, verdict.seq,
                                        verdict.pair, verdict.ranks),
                 verdict);
  }
  const auto add = [&all_stuck](std::vector<StuckOperation> more) {
    std::move(more.begin(), more.end(), std::back_inserter(all_stuck));
  };
  add(std::move(pairs.all_stuck));
  add(findPendingMessages(absence));
  for (JobVerdict& root :
       rootsOf(input.job, std::move(all_stuck), input.order)) {
    verdicts.push_back(std::move(root));
  }
  std::move(aborted.begin(), aborted.end(), std::back_inserter(verdicts));
  return verdicts;
}

// No capability is required. An argument that a source does not record is equal
// on all ranks, and totals with unrecorded parts are not compared.
constexpr CapabilitySet kNothing;
constexpr CapabilitySet kTimes = {SourceCapability::kWaits,
                                  SourceCapability::kExactEnds};
constexpr CapabilitySet kOwnTimes = {SourceCapability::kWaits,
                                     SourceCapability::kExactEnds,
                                     SourceCapability::kEveryOperation};
constexpr CapabilitySet kUses = {SourceCapability::kWaits,
                                 SourceCapability::kBuffers};

const Rule kRules[] = {
    {"slow_peers", kTimes, true,
     [](const RuleInput& input) { return findSlowPeers(input.job); }},
    {"stragglers", kOwnTimes, true,
     [](const RuleInput& input) {
       return findTimingVerdicts(input.job, input.options);
     }},
    {"mismatches", kNothing, false,
     [](const RuleInput& input) {
       return findMismatches(input.job, input.order);
     }},
    {"splits",
     {SourceCapability::kSplits},
     false,
     [](const RuleInput& input) {
       return findSplitMismatches(input.job, input.set);
     }},
    {"standstills", kNothing, false, findStuckGroups},
    {"engines_that_gave_up", kNothing, false,
     [](const RuleInput& input) {
       return findEngineFailures(input.job, input.found);
     }},
    {"failed_processes", kNothing, false,
     [](const RuleInput& input) {
       return findFailedProcesses(input.job, input.options, input.found);
     }},
    {"buffers_and_waits", kUses, false,
     [](const RuleInput& input) { return findLocalVerdicts(input.job); }},
    {"values", kNothing, false,
     [](const RuleInput& input) {
       return findValueVerdicts(input.job, input.set);
     }},
    {"shared_names", kNothing, false,
     [](const RuleInput& input) { return findSharedNames(input.job); }},
    {"early_ends", kTimes, false,
     [](const RuleInput& input) { return findEarlyEnds(input.job); }},
    {"gradients",
     {SourceCapability::kReduceOps},
     false,
     [](const RuleInput& input) {
       return findUnsynchronised(input.job, input.set, input.found);
     }},
};

}  // namespace

std::span<const Rule> rules() { return kRules; }

bool hasOwnTimes(const JobState& job) {
  return job.capabilities.hasAll(kOwnTimes);
}

}  // namespace traced
