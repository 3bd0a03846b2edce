#include "analysis/clocks/clock_summary.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/statistics/median.h"
#include "analysis/stream/clock_models.h"

namespace traced {
namespace {

// Returns the median over knots of the larger distance to either certified
// bound.
std::uint64_t typicalNs(const v1::ClockModel& clock) {
  if (clock.knot_size() == 0) return 0;
  std::vector<std::uint64_t> widths;
  for (const v1::ClockKnot& knot : clock.knot()) {
    widths.push_back(std::max(knot.below_ns(), knot.above_ns()));
  }
  return upperMedian(std::move(widths));
}

}  // namespace

std::vector<std::uint32_t> clockIds(const TraceSet& set) {
  absl::flat_hash_map<std::string, std::uint32_t> ids;
  std::vector<std::uint32_t> by_stream;
  for (const TraceStream& stream : set.streams) {
    const auto next = static_cast<std::uint32_t>(ids.size());
    by_stream.push_back(
        ids.try_emplace(clockNameOf(stream.header), next).first->second);
  }
  return by_stream;
}

ClockSummary summarizeClocks(const TraceSet& set, const AlignedClocks& clocks) {
  ClockSummary summary;
  const std::vector<std::uint32_t> ids = clockIds(set);
  absl::flat_hash_set<std::uint32_t> seen;
  // The two clocks with the largest error, and a rank of each.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> certified;
  for (const std::size_t i : set.selected) {
    if (!seen.insert(ids[i]).second) continue;
    ++summary.clocks;
    const v1::ClockModel& clock = clocks.models[i];
    if (clock.source() == v1::CLOCK_SOURCE_WALL_CLOCK) {
      ++summary.by_wall_clock;
      continue;
    }
    summary.aligned += clock.source() == v1::CLOCK_SOURCE_COLLECTIVES;
    certified.emplace_back(typicalNs(clock), set.streams[i].header.rank());
  }
  if (certified.size() < 2) return summary;
  std::partial_sort(certified.begin(), certified.begin() + 2, certified.end(),
                    [](const auto& a, const auto& b) {
                      return a.first != b.first ? a.first > b.first
                                                : a.second < b.second;
                    });
  const std::uint32_t a = certified[0].second, b = certified[1].second;
  summary.certified = {certified[0].first + certified[1].first,
                       {std::min(a, b), std::max(a, b)}};
  return summary;
}

}  // namespace traced
