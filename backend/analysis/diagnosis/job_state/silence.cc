#include "analysis/diagnosis/job_state/silence.h"

#include <algorithm>
#include <limits>

namespace traced {
namespace {

// Returns until when the rank is known to have called or ended an operation.
std::int64_t lastActive(const RankState& rank) {
  std::int64_t last_ns = rank.first_ns;
  if (rank.last_issued) last_ns = std::max(last_ns, rank.last_issued->at_ns);
  if (rank.last_finished)
    last_ns = std::max(last_ns, rank.last_finished->at_ns);
  return last_ns;
}

template <typename UntilNs>
Silence findSilence(const JobState& job, bool unusual, UntilNs&& until_ns) {
  constexpr std::int64_t kSilent = 5'000'000'000;
  Silence silence;
  silence.least_ns = std::numeric_limits<std::int64_t>::max();
  for (const RankState& rank : job.ranks) {
    const bool known = rank.whole() && rank.left_out == 0;
    if (!known || !rank.inside.empty() || rank.creating) continue;
    const std::int64_t silent_ns = until_ns(rank) - lastActive(rank);
    if (silent_ns < kSilent) continue;
    if (unusual && silent_ns <= rank.longest_pause_ns) continue;
    silence.ranks.push_back(rank.rank);
    silence.least_ns = std::min(silence.least_ns, silent_ns);
    silence.longest_before_ns =
        std::max(silence.longest_before_ns, rank.longest_pause_ns);
    silence.may_create |= !rank.records_creating;
  }
  return silence;
}

}  // namespace

Silence silenceOfLive(const JobState& job) {
  return findSilence(job, false, [](const RankState& rank) {
    return rank.running ? rank.last_ns : rank.first_ns;
  });
}

Silence silenceOfKilled(const JobState& job) {
  return findSilence(job, true, [](const RankState& rank) {
    return rank.end.kind == EndKind::kKilled
               ? std::max(rank.end_seen_ns.value_or(rank.last_ns), rank.last_ns)
               : rank.first_ns;
  });
}

}  // namespace traced
