// Who there is: hosts, ranks and their locations, and the groups they form.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/view/job_view.h"
#include "cli/export/otf2/rank_events.h"

namespace traced::otf2 {

// `locations`: of each stream of the view. How many groups are told without
// their members, because there are too many.
std::uint64_t defineWorld(Writing& to, const JobView& view,
                          const std::vector<std::vector<Location>>& locations);

}  // namespace traced::otf2
