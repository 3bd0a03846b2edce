#include "analysis/diagnosis/gradients/preconditions.h"

#include <algorithm>

#include "analysis/diagnosis/gradients/call_role.h"
#include "analysis/diagnosis/gradients/rank_sets.h"

namespace traced {
namespace {

bool isInteger(std::uint32_t dtype) {
  return (dtype >= v1::DTYPE_UINT8 && dtype <= v1::DTYPE_UINT64) ||
         dtype == v1::DTYPE_BOOL;
}

// Calls visit(signature, role) for each distinct call of a group.
template <typename Visit>
void forEachCall(const JobState& job, std::uint32_t group, Visit&& visit) {
  for (const std::uint32_t id :
       job.groups[group].collectives.distinctSignatures()) {
    const Signature& signature = job.signatures.at(id);
    visit(signature, roleOf(signature));
  }
}

void joinMessages(const JobState& job, RankSets& sets) {
  for (const auto& [pair, messages] : job.pairs) {
    sets.join(pair.source, pair.destination);
  }
}

std::uint32_t sizeOf(const JobState& job) {
  return static_cast<std::uint32_t>(job.ranks.size());
}

}  // namespace

bool isCompleteJob(const JobState& job, const TraceSet& set) {
  const std::vector<JobGroup>& groups = job.catalog.groups();
  return job.ranks.size() > 1 && job.ranks.size() == job.summary.worldSize() &&
         job.ranks.back().rank + 1 == job.ranks.size() && !set.may_mix_runs &&
         !job.summary.fromDumps() && job.summary.pauses().count == 0 &&
         job.summary.leftOut().operations == 0 &&
         std::all_of(job.ranks.begin(), job.ranks.end(),
                     [](const RankState& rank) { return rank.whole(); }) &&
         std::none_of(groups.begin(), groups.end(),
                      [](const JobGroup& group) { return group.left_out; });
}

bool mayHaveIslands(const JobState& job) {
  RankSets sets(sizeOf(job));
  joinMessages(job, sets);
  std::vector<bool> reduces(job.ranks.size());
  for (std::uint32_t group = 0; group < job.groups.size(); ++group) {
    const RankList& members = job.catalog.groups()[group].members;
    forEachCall(job, group, [&](const Signature& call, const CallRole& role) {
      if (!role.moves_data) return;
      const bool is_link = !role.is_from_root && !isInteger(call.dtype);
      if (is_link) sets.join(members);
      if (!role.reduces) return;
      members.forEach([&](std::uint32_t rank) {
        if (rank < reduces.size()) reduces[rank] = true;
      });
    });
  }
  const auto all = sets.sets();
  return std::count_if(all.begin(), all.end(), [&](const auto& ranks) {
           return std::any_of(ranks.begin(), ranks.end(),
                              [&](auto rank) { return reduces[rank]; });
         }) > 1;
}

bool mayLackReductions(const JobState& job) {
  RankSets sets(sizeOf(job));
  joinMessages(job, sets);
  std::vector<std::uint32_t> candidates;
  for (std::uint32_t group = 0; group < job.groups.size(); ++group) {
    const RankList& members = job.catalog.groups()[group].members;
    bool is_candidate = false;
    forEachCall(job, group, [&](const Signature&, const CallRole& role) {
      is_candidate |= role.gathers;
      if (role.reduces && role.moves_data) sets.join(members);
    });
    if (is_candidate && members.size() > 1) candidates.push_back(group);
  }
  return std::any_of(candidates.begin(), candidates.end(), [&](auto group) {
    return sets.separates(job.catalog.groups()[group].members);
  });
}

bool countsOptimizerSteps(const TraceSet& set) {
  return std::all_of(set.selected.begin(), set.selected.end(),
                     [&](std::size_t i) {
                       const v1::Header header = wholeHeader(set.streams[i]);
                       const auto& settings = header.settings();
                       const auto found = settings.find("TRACED_AUTO_STEP");
                       return found != settings.end() && found->second == "1";
                     });
}

}  // namespace traced
