// The events of one rank, in locations: its calls, a location per thread, its
// waits, its steps, and what it did in its modules and phases.

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

// What is known of each row of a view.
struct RowFacts {
  std::optional<std::uint64_t> correlation;
  std::optional<JobView::Latest> latest;
};

// What all ranks write to.
struct Writing {
  Archive& archive;
  Names& names;
  Facts& facts;
  const std::vector<RowFacts>& rows;
  std::uint64_t locations = 0;
  TimeRange range = {};
  // Those that something was carried out on, and the communicators that they
  // are: numbered from 0, without a gap, as OTF2 wants it.
  std::map<std::uint32_t, OTF2_CommRef> communicators = {};
  // Operations that have no more than their calls: OTF2 knows none like them,
  // they were never carried out, or who takes part is not known.
  std::uint64_t only_calls = 0;
  std::uint64_t without_end = 0;
};

// Those of a stream of the view. The first is there whatever there is, and is
// the one that takes part in communication.
std::vector<Location> writeRank(Writing& to, const JobView& view,
                                std::uint32_t stream, const RankTimeline& line);

// `locations`: of each stream of the view. How many groups are told without
// their members, because there are too many.
std::uint64_t defineWorld(Writing& to, const JobView& view,
                          const std::vector<std::vector<Location>>& locations);

}  // namespace traced::otf2
