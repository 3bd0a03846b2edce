#include "analysis/diagnosis/standstill/missing_ranks.h"

#include <algorithm>

namespace traced {

MissingRanks::MissingRanks(const GroupStanding& standing) {
  const std::vector<std::uint32_t> joined = standing.joined();
  if (joined.empty()) return;
  const JobState& job = standing.job();
  const RankState& witness = *job.rank(joined.front());
  const std::int64_t since_ns = standing.since_ns.value_or(witness.last_ns);
  for (const std::uint32_t rank : standing.missing) {
    const RankState& state = *job.rank(rank);
    const Confidence one =
        standing.knowledge.absenceOf(state, witness, since_ns);
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
