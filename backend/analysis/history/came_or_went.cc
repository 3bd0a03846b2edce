#include "analysis/history/came_or_went.h"

#include <algorithm>
#include <optional>

namespace traced {
namespace {

// Places in `runs` of those that have the key.
std::vector<std::size_t> placesOf(const HistoryKey& key,
                                  const std::vector<std::uint32_t>& runs) {
  std::vector<std::size_t> places;
  for (const std::uint32_t run : key.uncertain.runs) {
    const auto found = std::lower_bound(runs.begin(), runs.end(), run);
    if (found == runs.end() || *found != run) continue;
    places.push_back(static_cast<std::size_t>(found - runs.begin()));
  }
  return places;
}

}  // namespace

std::vector<CameOrWent> cameOrWent(const History& history,
                                   const std::vector<std::uint32_t>& runs,
                                   std::uint32_t first_new) {
  std::vector<CameOrWent> all;
  const std::size_t least = kLeastRunsOfState;
  for (std::size_t k = 1; k < history.keys.size(); ++k) {
    const auto places = placesOf(history.keys[k], runs);
    if (places.size() < least) continue;
    const std::size_t first = places.front(), behind = places.back() + 1;
    if (behind - first != places.size()) continue;
    if (first >= least && behind == runs.size() && runs[first] >= first_new) {
      all.push_back({k, false, runs[first]});
    } else if (behind + least <= runs.size() && runs[behind] >= first_new) {
      all.push_back({k, true, runs[behind]});
    }
  }
  return all;
}

}  // namespace traced
