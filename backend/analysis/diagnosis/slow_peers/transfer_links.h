// TransferLinks gathers how long transfers took, so that those between some
// ranks can be compared with those between others. See docs/diagnosis.md, "Slow
// peers".

#pragma once

#include <vector>

#include "analysis/diagnosis/evidence/job_state.h"
#include "analysis/diagnosis/slow_peers/compared_links.h"

namespace traced {

// Of links of which enough is known to be compared, and only where there are
// several.
std::vector<ComparedLinks> comparedLinks(const JobState& job);

}  // namespace traced
