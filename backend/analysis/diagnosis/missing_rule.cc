#include <algorithm>

#include "analysis/diagnosis/group_rules.h"

namespace traced {
namespace {

// Who is waited for: those of whom it is known that they did not join, and
// those whose traces cannot tell.
struct Missing {
  std::vector<std::uint32_t> sure, doubtful;
  Confidence confidence = Confidence::kCertain;
  bool any_ended = false;
};

Missing sortMissing(const GroupStanding& standing,
                    const std::vector<std::uint32_t>& joined) {
  Missing missing;
  const JobState& job = standing.job();
  const RankState& witness = *job.rank(joined.front());
  const std::int64_t since_ns = standing.since_ns.value_or(witness.last_ns);
  for (const std::uint32_t rank : standing.missing) {
    const RankState& state = *job.rank(rank);
    const Confidence one =
        standing.knowledge.absenceOf(state, witness, since_ns);
    if (one == Confidence::kUndecided) {
      missing.doubtful.push_back(rank);
      continue;
    }
    missing.any_ended |= state.closed || state.end.failed();
    missing.confidence = std::max(missing.confidence, one);
    missing.sure.push_back(rank);
  }
  return missing;
}

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
  const std::vector<std::uint32_t> joined = standing.joined();
  if (joined.empty()) return std::nullopt;
  Missing missing = sortMissing(standing, joined);
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
  tellLost(standing, missing.doubtful, verdict);
  tellAbsent(standing, verdict);
  tellFailures(standing, verdict);
  tellStops(standing, verdict);
  return trouble;
}

}  // namespace traced
