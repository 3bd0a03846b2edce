#include <algorithm>

#include "analysis/diagnosis/standstill/group_rules.h"
#include "analysis/diagnosis/standstill/missing_ranks.h"

namespace traced {
namespace {

// Whether it is inside a message, whose peer may be held up in turn, or
// inside an operation of another group that lacks a trace; or failed in such a
// one before, as it does when the other side is gone.
bool mayBeHeldUp(const GroupStanding& standing, std::uint32_t rank) {
  const JobState& job = standing.job();
  const auto lacksTrace = [&](std::uint32_t group) {
    return group != standing.group && group != GroupCatalog::kNone &&
           !job.membersOf(group).absent.empty();
  };
  const auto isHeldUpIn = [&](const OperationRef& ref) {
    return ref.pair || lacksTrace(ref.group);
  };
  const RankState& state = *job.rank(rank);
  const std::optional<OperationRef>& failure = state.first_failure;
  return (failure && isHeldUpIn(*failure)) ||
         std::any_of(state.inside.begin(), state.inside.end(), isHeldUpIn);
}

}  // namespace

std::optional<Trouble> judgeMissing(const GroupStanding& standing) {
  if (standing.joined().empty()) return std::nullopt;
  MissingRanks missing(standing);
  const bool matters = !standing.failed.empty() || standing.someGaveUp() ||
                       missing.any_ended || standing.closedInside() ||
                       (standing.mayBeUnderWay() &&
                        standing.knowledge.standsStill(standing.longest_ns));
  if (!matters) return std::nullopt;
  Trouble trouble = standing.trouble();
  trouble.missing = missing.sure;
  // With a file missing it may be the absent who hold these up.
  if (!standing.members.absent.empty()) {
    std::erase_if(missing.sure, [&](std::uint32_t rank) {
      return mayBeHeldUp(standing, rank);
    });
  }
  if (missing.sure.empty()) {
    tellUndecided(standing, missing.doubtful, trouble);
    return trouble;
  }
  JobVerdict& verdict = trouble.verdict;
  blameMissing(standing, missing.sure, verdict);
  verdict.finding = missing.confidence;
  tellLost(missing.doubtful, verdict);
  tellAbsent(standing, verdict);
  tellFailures(standing, verdict);
  tellStops(standing, verdict);
  return trouble;
}

}  // namespace traced
