// What "/verdicts" is answered with.

#pragma once

#include <vector>

#include "cli/common/json.h"
#include "cli/serve/hosts/hosts.h"
#include "cli/serve/live_findings.h"

namespace traced {

Json verdictsJson(const Hosts& hosts, const std::vector<LiveFinding>& findings);

}  // namespace traced
