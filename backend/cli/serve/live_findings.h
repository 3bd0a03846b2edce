// What is wrong with watched jobs, as far as it can be seen while they run.

#pragma once

#include <string>
#include <vector>

#include "cli/common/json.h"
#include "cli/serve/hosts/hosts.h"
#include "cli/serve/hosts/hosts_job.h"

namespace traced {

struct LiveFinding {
  // What it is about: equal as long as it is the same one.
  std::string name;
  std::string text;
  Json json;
};

// Ranks that called different operations under one number, which is certain;
// a rank that keeps others waiting; ranks whose transfers are slow; and who has
// long waited for whom.
std::vector<LiveFinding> findingsOf(const std::vector<HostsJob>& jobs);

// Returns the page under "/": it loads itself again.
std::string livePage(const Hosts& hosts,
                     const std::vector<LiveFinding>& findings,
                     double interval_s);

// Returns what is under "/verdicts".
Json verdictsJson(const Hosts& hosts, const std::vector<LiveFinding>& findings);

}  // namespace traced
