#include <algorithm>

#include "analysis/diagnosis/gradients/gradient_rules.h"
#include "analysis/stream/names.h"

namespace traced {
namespace {

// A program that accumulates gradients reduces them after fewer steps, even if
// it counts each micro-batch as a step.
constexpr std::uint64_t kMinGatherSteps = 32;

// Returns nullptr if the rank gathered nothing in backward.
const GroupGathers* gathersIn(const RankGradients& rank, std::uint32_t group) {
  const auto found = std::find_if(
      rank.gathers.begin(), rank.gathers.end(),
      [&](const GroupGathers& each) { return each.group == group; });
  return found == rank.gathers.end() ? nullptr : &*found;
}

Ranks ranksOf(const RankList& members) {
  Ranks ranks;
  members.forEach([&](std::uint32_t rank) { ranks.push_back(rank); });
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

// Returns the first group of several members, no two of which are in one of
// `sets`, where `is_suspect` holds for each member. Returns kNone if there is
// none.
template <typename IsSuspect>
std::uint32_t findGroup(const JobState& job, const RankSets& sets,
                        IsSuspect&& is_suspect) {
  const std::vector<JobGroup>& groups = job.catalog.groups();
  for (std::uint32_t group = 0; group < groups.size(); ++group) {
    const RankList& members = groups[group].members;
    if (members.size() < 2 || !sets.separates(members)) continue;
    const Ranks ranks = ranksOf(members);
    const bool all =
        std::all_of(ranks.begin(), ranks.end(), [&](std::uint32_t rank) {
          return rank < job.ranks.size() && is_suspect(rank, group);
        });
    if (all) return group;
  }
  return GroupCatalog::kNone;
}

JobVerdict verdictOf(const Ranks& ranks, const FirstCall& first) {
  JobVerdict verdict;
  verdict.kind = VerdictKind::kUnsynchronisedGradients;
  verdict.finding = Confidence::kLikely;
  verdict.ranks = ranks;
  verdict.group = first.group;
  verdict.op = nameOf(first.call.op);
  verdict.since_seq = first.seq;
  verdict.advice.push_back(PlainFact::kAskGradientNorms);
  return verdict;
}

}  // namespace

std::optional<JobVerdict> findOnlyGathered(const JobState& job,
                                           const GradientSurvey& survey) {
  const std::uint32_t group =
      findGroup(job, survey.exchanging.reducing,
                [&](std::uint32_t rank, std::uint32_t in_group) {
                  const auto* gathers = gathersIn(survey.ranks[rank], in_group);
                  return gathers && gathers->steps >= kMinGatherSteps;
                });
  if (group == GroupCatalog::kNone) return std::nullopt;
  const Ranks ranks = ranksOf(job.catalog.groups()[group].members);
  const GroupGathers& gathers = *gathersIn(survey.ranks[ranks.front()], group);
  JobVerdict verdict = verdictOf(ranks, gathers.first);
  verdict.summary = {OnlyGathered{group, ranks}};
  verdict.reasons.push_back(
      GatheredInBackward{ranks.front(), textOf(gathers.first.call),
                         gathers.first.site, gathers.calls / gathers.steps,
                         gathers.bytes / gathers.steps, gathers.steps});
  return verdict;
}

}  // namespace traced
