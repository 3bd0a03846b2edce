// The page that `tracectl serve` answers "/" with: it loads itself again.

#pragma once

#include <string>
#include <vector>

#include "cli/serve/hosts/hosts.h"
#include "cli/serve/live_findings.h"

namespace traced {

std::string livePage(const Hosts& hosts,
                     const std::vector<LiveFinding>& findings,
                     double interval_s);

}  // namespace traced
