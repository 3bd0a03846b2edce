// Writes the events of one rank into locations: its calls (a location per
// thread), waits, steps, modules and phases.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/timeline/rank_timeline.h"
#include "analysis/view/job_view.h"
#include "cli/export/otf2/archive.h"

namespace traced::otf2 {

struct Location {
  std::uint64_t number = 0;
  std::string name;
  std::uint64_t events = 0;
};

// Facts about one row of a view.
struct RowFacts {
  std::optional<std::uint64_t> correlation;
  std::optional<JobView::Latest> latest;
};

// State shared by all ranks of an export.
struct Writing {
  Archive& archive;
  Names& names;
  Facts& facts;
  const std::vector<RowFacts>& rows;
  std::uint64_t locations = 0;
  TimeRange range = {};
  // The communicators that carried out something, by the index of their group.
  // OTF2 requires numbers from 0 without gaps.
  std::map<std::uint32_t, OTF2_CommRef> communicators = {};
  // Number of operations for which only the call is written. OTF2 has no
  // matching event, the operation was never carried out, or its participants
  // are unknown.
  std::uint64_t only_calls = 0;
  // Number of operations without a known end.
  std::uint64_t without_end = 0;
};

// Writes the locations of one stream. The result is never empty. Its first
// location represents the rank in communication.
std::vector<Location> writeRank(Writing& to, const JobView& view,
                                std::uint32_t stream, const RankTimeline& line);

// Defines all locations, groups and communicators. `locations` are those of
// each stream of the view. Returns the number of groups whose members were left
// out because they are too many.
std::uint64_t defineWorld(Writing& to, const JobView& view,
                          const std::vector<std::vector<Location>>& locations);

}  // namespace traced::otf2
