#include "analysis/diagnosis/stuck_groups/cut_off.h"

#include <algorithm>
#include <cstdlib>

namespace traced {
namespace {

bool all(const std::vector<std::uint32_t>& ranks, const auto& condition) {
  return std::all_of(ranks.begin(), ranks.end(), condition);
}

}  // namespace

std::vector<std::uint32_t> killedFirst(
    const GroupStanding& standing, const std::vector<std::uint32_t>& missing) {
  const RankState* first = nullptr;
  for (const std::uint32_t rank : missing) {
    const RankState& state = *standing.job().rank(rank);
    const bool at_work = state.end.wasKilled() &&
                         standing.waitedUntilEndOf(rank) &&
                         !standing.othersWereStuckBeforeEndOf(rank);
    if (!at_work) return {};
    if (!first || *state.end_seen_ns < *first->end_seen_ns) first = &state;
  }
  std::vector<std::uint32_t> killed = missing;
  std::erase_if(killed, [&](std::uint32_t rank) {
    return standing.job().rank(rank)->end.signal != first->end.signal;
  });
  return killed;
}

bool jobWasEnded(const GroupStanding& standing,
                 const std::vector<std::uint32_t>& missing) {
  constexpr std::int64_t kAtOneTimeNs = 1'000'000'000;
  const auto stood_still = [&](std::uint32_t rank) {
    return standing.othersWereStuckBeforeEndOf(rank);
  };
  if (std::any_of(missing.begin(), missing.end(), stood_still)) return false;
  const std::vector<std::uint32_t>& ranks = standing.members.present;
  const RankState& one = *standing.job().rank(ranks.front());
  return all(ranks, [&](std::uint32_t rank) {
    const RankState& state = *standing.job().rank(rank);
    const bool together =
        state.end_seen_ns && one.end_seen_ns &&
        std::abs(*state.end_seen_ns - *one.end_seen_ns) < kAtOneTimeNs;
    return state.end.wasInterrupted() ||
           (state.end.wasKilled() && state.end.signal == one.end.signal &&
            together);
  });
}

std::optional<CutOffBeforeJoining> cutOffBefore(
    const GroupStanding& standing, const std::vector<std::uint32_t>& missing) {
  const ProcessEnd& first = standing.job().rank(missing.front())->end;
  const bool alike = all(missing, [&](std::uint32_t rank) {
    return standing.othersWereStuckBeforeEndOf(rank) &&
           endedAlike(standing.job().rank(rank)->end, first);
  });
  if (!alike || first.wasKilled()) return std::nullopt;
  std::int64_t waited_ns = *standing.waitedUntilEndOf(missing.front());
  for (const std::uint32_t rank : missing) {
    waited_ns = std::min(waited_ns, *standing.waitedUntilEndOf(rank));
  }
  std::vector<std::uint32_t> waiting = standing.inside;
  addRanks(waiting, standing.failed);
  const bool perhaps = standing.perhaps() == waiting;
  return CutOffBeforeJoining{missing, standing.call(),
                             standing.othersAre(waiting), perhaps, waited_ns};
}

namespace {

// Returns how certain it is that a rank has not joined. Instants of different
// clocks are not compared, so a witness on the rank's own clock is preferred.
Confidence absenceOf(const GroupStanding& standing,
                     const std::vector<std::uint32_t>& joined,
                     const RankState& rank) {
  const JobState& job = standing.job();
  const RankState& first = *job.rank(joined.front());
  if (first.clock != rank.clock) {
    for (const std::uint32_t each : joined) {
      const RankState& witness = *job.rank(each);
      if (witness.clock != rank.clock) continue;
      const OperationRef* ref =
          standing.absence.refAtOrAfter(each, standing.group, standing.seq);
      if (ref) return standing.absence.absenceOf(rank, witness, ref->at_ns);
    }
  }
  return standing.absence.absenceOf(rank, first,
                                    standing.since_ns.value_or(first.last_ns));
}

}  // namespace

MissingRanks::MissingRanks(const GroupStanding& standing) {
  const std::vector<std::uint32_t> joined = standing.joined();
  if (joined.empty()) return;
  for (const std::uint32_t rank : standing.missing) {
    const RankState& state = *standing.job().rank(rank);
    const Confidence one = absenceOf(standing, joined, state);
    if (one == Confidence::kUndecided) {
      doubtful.push_back(rank);
      continue;
    }
    any_ended |= state.closed || state.end.failed();
    confidence = std::max(confidence, one);
    sure.push_back(rank);
  }
}

}  // namespace traced
