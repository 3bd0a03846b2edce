#include "analysis/reading/started_together.h"

#include <algorithm>
#include <utility>

#include "analysis/reading/stream_end.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

using Numbers = absl::flat_hash_set<std::uint32_t>;

bool areApart(const Numbers& few, const Numbers& all) {
  return std::none_of(few.begin(), few.end(), [&all](std::uint32_t number) {
    return all.contains(number);
  });
}

// Returns whether a launch or rank may belong to `start`, apart from time.
bool fits(const Started& comes, const Started& start) {
  return comes.world_size == start.world_size &&
         areApart(comes.ranks, start.ranks) &&
         areApart(comes.launchers, start.launchers);
}

// Combines parts by time: each joins the latest start if it may, and if it
// began before any of its ranks had ended.
template <typename Fits>
std::vector<Started> putTogether(std::vector<Started> parts, Fits may_be) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Started& a, const Started& b) {
                     return a.begin_ns < b.begin_ns;
                   });
  std::vector<Started> starts;
  for (const Started& part : parts) {
    const bool joins = !starts.empty() && may_be(part, starts.back()) &&
                       !starts.back().isOverBefore(part, kStartMarginNs);
    if (!joins) starts.emplace_back();
    starts.back().add(part);
  }
  return starts;
}

// Combines the n-th launches of all launchers. Returns nothing if that is
// impossible.
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
  std::vector<Started> launches;
  for (std::uint32_t i = 0; i < launchers.size(); ++i) {
    for (const Started& launch : launchers[i]) {
      launches.push_back(launch);
      launches.back().launchers = {i};
    }
  }
  return putTogether(std::move(launches), fits);
}

// Returns whether all launchers report the same attempt for each start, and
// increasing attempts.
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
  launchers.insert(other.launchers.begin(), other.launchers.end());
  streams.insert(streams.end(), other.streams.begin(), other.streams.end());
  begin_ns = std::min(begin_ns, other.begin_ns);
  end_ns = std::min(end_ns, other.end_ns);
}

bool Started::isOverBefore(const Started& other, std::int64_t margin_ns) const {
  return end_ns != kNotKnown && other.begin_ns > end_ns &&
         wrappingDifference(other.begin_ns, end_ns) > margin_ns;
}

std::vector<Started> launchesOf(std::vector<Started> ranks) {
  return putTogether(
      std::move(ranks), [](const Started& rank, const Started& launch) {
        return rank.attempt == launch.attempt && fits(rank, launch);
      });
}

Starts startsOf(const std::vector<std::vector<Started>>& launchers) {
  std::vector<Started> in_order = byOrder(launchers);
  if (!in_order.empty()) return {std::move(in_order), false};
  std::vector<Started> starts = byClock(launchers);
  const bool alike = countAlike(starts);
  return {std::move(starts), !alike};
}

}  // namespace traced
