#include "analysis/whatif/sections.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"

namespace traced::whatif {
namespace {

// Minimum number of events of the first rank in a section.
constexpr std::size_t kMinEvents = 64;

// Numbers some operations of all ranks, from 1.
absl::flat_hash_map<std::uint32_t, std::uint64_t> cutsOf(
    const ReplayJob& job, const RankEvents& rank) {
  absl::flat_hash_map<std::uint32_t, std::uint64_t> cuts;
  std::size_t last = 0;
  for (std::size_t i = 0; i < rank.events.size(); ++i) {
    const Event& event = rank.events[i];
    if (event.is_wait || i < last + kMinEvents) continue;
    if (job.meetings[event.meeting].joins < job.ranks.size()) continue;
    cuts.try_emplace(event.meeting, cuts.size() + 1);
    last = i;
  }
  return cuts;
}

}  // namespace

void findSections(ReplayJob& job) {
  if (job.has_steps) {
    for (RankEvents& rank : job.ranks) rank.sections = rank.steps;
    return;
  }
  if (job.ranks.empty()) return;
  const auto cuts = cutsOf(job, job.ranks.front());
  for (RankEvents& rank : job.ranks) {
    rank.sections = {{0, 0}};
    for (std::uint32_t i = 0; i < rank.events.size(); ++i) {
      if (rank.events[i].is_wait) continue;
      const auto found = cuts.find(rank.events[i].meeting);
      if (found != cuts.end()) rank.sections.push_back({found->second, i});
    }
  }
}

}  // namespace traced::whatif
