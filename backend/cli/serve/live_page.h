// The page that `tracectl serve` answers "/" with: it loads itself again.

#pragma once

#include <string>
#include <vector>

#include "cli/serve/live_findings.h"
#include "cli/serve/watched_jobs.h"

namespace traced {

std::string livePage(const WatchedJobs& watched,
                     const std::vector<LiveFinding>& findings,
                     double interval_s);

}  // namespace traced
