#include "analysis/reading/started_together.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "analysis/reading/start_margins.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

bool beganFirst(const Started& a, const Started& b) {
  return a.begin_ns < b.begin_ns;
}

// Whether what comes may be of the same start, by what does not depend on
// clocks.
bool fits(const Started& comes, const Started& start) {
  return comes.world_size == start.world_size &&
         std::none_of(comes.ranks.begin(), comes.ranks.end(),
                      [&start](std::uint32_t rank) {
                        return start.ranks.contains(rank);
                      });
}

// The first launch of each launcher is of the first start, and so on. Empty
// where that cannot be.
std::vector<Started> byOrder(
    const std::vector<std::vector<Started>>& launchers) {
  std::vector<Started> starts = launchers.front();
  for (std::size_t i = 1; i < launchers.size(); ++i) {
    if (launchers[i].size() != starts.size()) return {};
    for (std::size_t k = 0; k < starts.size(); ++k) {
      const Started& launch = launchers[i][k];
      if (!fits(launch, starts[k]) ||
          starts[k].isOverBefore(launch, kWallMarginNs) ||
          launch.isOverBefore(starts[k], kWallMarginNs)) {
        return {};
      }
      starts[k].add(launch);
    }
  }
  return starts;
}

std::vector<Started> byClock(
    const std::vector<std::vector<Started>>& launchers) {
  std::vector<std::pair<Started, std::size_t>> launches;
  for (std::size_t i = 0; i < launchers.size(); ++i) {
    for (const Started& launch : launchers[i]) launches.emplace_back(launch, i);
  }
  std::stable_sort(launches.begin(), launches.end(),
                   [](const auto& a, const auto& b) {
                     return beganFirst(a.first, b.first);
                   });
  std::vector<Started> starts;
  absl::flat_hash_set<std::size_t> there;
  for (const auto& [launch, launcher] : launches) {
    const bool joins = !starts.empty() && !there.contains(launcher) &&
                       fits(launch, starts.back()) &&
                       !starts.back().isOverBefore(launch, kStartMarginNs);
    if (!joins) {
      starts.emplace_back();
      there.clear();
    }
    there.insert(launcher);
    starts.back().add(launch);
  }
  return starts;
}

// Whether all launchers tell one attempt of a start, and another of the next.
bool countAlike(const std::vector<Started>& starts) {
  std::uint32_t least = 0;
  return std::all_of(
      starts.begin(), starts.end(), [&least](const Started& start) {
        const bool alike =
            start.attempt == start.least_attempt && start.attempt >= least;
        least = start.attempt + 1;
        return alike;
      });
}

}  // namespace

void Started::add(const Started& other) {
  attempt = std::max(attempt, other.attempt);
  least_attempt = std::min(least_attempt, other.least_attempt);
  world_size = other.world_size;
  ranks.insert(other.ranks.begin(), other.ranks.end());
  streams.insert(streams.end(), other.streams.begin(), other.streams.end());
  begin_ns = std::min(begin_ns, other.begin_ns);
  end_ns = std::min(end_ns, other.end_ns);
}

bool Started::isOverBefore(const Started& other, std::int64_t margin_ns) const {
  return end_ns != kNotKnown && other.begin_ns > end_ns &&
         wrappingDifference(other.begin_ns, end_ns) > margin_ns;
}

std::vector<Started> launchesOf(std::vector<Started> ranks) {
  std::stable_sort(ranks.begin(), ranks.end(), beganFirst);
  std::vector<Started> launches;
  for (const Started& rank : ranks) {
    const bool joins = !launches.empty() &&
                       launches.back().attempt == rank.attempt &&
                       fits(rank, launches.back()) &&
                       !launches.back().isOverBefore(rank, kStartMarginNs);
    if (!joins) launches.emplace_back();
    launches.back().add(rank);
  }
  return launches;
}

Starts startsOf(const std::vector<std::vector<Started>>& launchers) {
  std::vector<Started> in_order = byOrder(launchers);
  if (!in_order.empty()) return {std::move(in_order), false};
  std::vector<Started> starts = byClock(launchers);
  const bool alike = countAlike(starts);
  return {std::move(starts), !alike};
}

}  // namespace traced
