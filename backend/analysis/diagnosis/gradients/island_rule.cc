#include <algorithm>
#include <map>
#include <utility>

#include "analysis/diagnosis/gradients/call_role.h"
#include "analysis/diagnosis/gradients/gradient_rules.h"
#include "analysis/stream/names.h"

namespace traced {
namespace {

// Fewer cycles do not show that parameters are never averaged.
constexpr std::uint64_t kMinCycles = 8;

using Island = Ranks;

// Islands that reduce the same gradients, and the group of the metric by which
// they seem to train one model.
struct Twins {
  std::uint32_t metric_group = GroupCatalog::kNone;
  std::uint64_t cycles = 0;
  std::vector<Island> islands;

  std::size_t ranks() const {
    return islands.empty() ? 0 : islands.size() * islands.front().size();
  }
};

// Returns the sets in which each rank reduces gradients and shares the group's
// metric often enough.
std::vector<Island> islandsIn(const GradientSurvey& survey,
                              std::uint32_t group) {
  std::vector<Island> islands = survey.exchanging.in_training.sets();
  std::erase_if(islands, [&](const Island& island) {
    return !std::all_of(island.begin(), island.end(), [&](auto rank) {
      const MetricCycles* cycles = survey.ranks[rank].cyclesOf(group);
      return cycles && cycles->count >= kMinCycles;
    });
  });
  return islands;
}

// Returns the largest number of islands in which ranks at equal positions
// reduce equal gradients.
Twins twinsIn(const GradientSurvey& survey, std::uint32_t group) {
  const std::vector<Island> islands = islandsIn(survey, group);
  std::uint64_t cycles = ~std::uint64_t{0};
  for (const Island& island : islands) {
    for (const std::uint32_t rank : island) {
      cycles = std::min(cycles, survey.ranks[rank].cyclesOf(group)->count);
    }
  }
  const std::size_t compared =
      std::min<std::uint64_t>(cycles, MetricCycles::kMaxCompared);
  std::map<std::vector<std::uint64_t>, std::vector<Island>> alike;
  for (const Island& island : islands) {
    std::vector<std::uint64_t> hashes;
    for (const std::uint32_t rank : island) {
      hashes.push_back(
          survey.ranks[rank].cyclesOf(group)->hashes[compared - 1]);
    }
    alike[hashes].push_back(island);
  }
  Twins twins{group, cycles, {}};
  for (auto& [hashes, same] : alike) {
    if (same.size() > twins.islands.size()) twins.islands = std::move(same);
  }
  if (twins.islands.size() < 2) twins.islands.clear();
  return twins;
}

Twins findTwins(const JobState& job, const GradientSurvey& survey) {
  Twins best;
  for (std::uint32_t group = 0; group < job.groups.size(); ++group) {
    if (job.catalog.groups()[group].members.size() < 2) continue;
    Twins twins = twinsIn(survey, group);
    if (twins.ranks() > best.ranks()) best = std::move(twins);
  }
  return best;
}

bool movesData(const JobState& job, std::uint32_t group) {
  const auto calls = job.groups[group].collectives.distinctSignatures();
  return std::any_of(calls.begin(), calls.end(), [&](auto call) {
    return roleOf(job.signatures.at(call)).moves_data;
  });
}

// Returns a group, other than that of all ranks, that has a member in each
// island and moved no data. Returns kNone if there is none.
std::uint32_t unusedGroup(const JobState& job, const Twins& twins) {
  const std::vector<JobGroup>& groups = job.catalog.groups();
  for (std::uint32_t group = 0; group < groups.size(); ++group) {
    const RankList& members = groups[group].members;
    const bool is_of_world = groups[group].desc == "default_pg";
    if (is_of_world || group == twins.metric_group) continue;
    const bool joins = std::all_of(
        twins.islands.begin(), twins.islands.end(), [&](const Island& island) {
          return std::any_of(island.begin(), island.end(),
                             [&](auto rank) { return members.contains(rank); });
        });
    if (joins && !movesData(job, group)) return group;
  }
  return GroupCatalog::kNone;
}

JobVerdict verdictOf(const JobState& job, const GradientSurvey& survey,
                     const Twins& twins) {
  const std::uint32_t example = twins.islands.front().front();
  const RankGradients& gradients = survey.ranks[example];
  const FirstCall& first = *gradients.first;
  const FirstCall& metric = gradients.cyclesOf(twins.metric_group)->metric;
  JobVerdict verdict;
  verdict.kind = VerdictKind::kUnsynchronisedGradients;
  verdict.finding = Confidence::kLikely;
  for (const Island& island : twins.islands) {
    verdict.ranks.insert(verdict.ranks.end(), island.begin(), island.end());
  }
  std::sort(verdict.ranks.begin(), verdict.ranks.end());
  verdict.group = first.group;
  verdict.op = nameOf(first.call.op);
  verdict.since_seq = first.seq;
  verdict.summary = {GradientIslands{twins.islands}};
  verdict.reasons.push_back(
      GradientsReduced{example, first.group, textOf(first.call), first.site,
                       gradients.calls / twins.cycles,
                       gradients.bytes / twins.cycles, twins.cycles});
  verdict.reasons.push_back(
      MetricShared{metric.group, textOf(metric.call), metric.site});
  const std::uint32_t unused = unusedGroup(job, twins);
  if (unused != GroupCatalog::kNone) {
    verdict.reasons.push_back(JoiningGroupUnused{unused});
  }
  verdict.advice.push_back(PlainFact::kAskGradientNorms);
  return verdict;
}

}  // namespace

std::optional<JobVerdict> findIslands(const JobState& job,
                                      const GradientSurvey& survey) {
  const Twins twins = findTwins(job, survey);
  if (twins.islands.empty()) return std::nullopt;
  return verdictOf(job, survey, twins);
}

}  // namespace traced
