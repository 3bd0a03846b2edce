// Problems of watched jobs that can be detected while the jobs run.

#pragma once

#include <string>
#include <vector>

#include "cli/common/json.h"
#include "cli/serve/hosts/hosts.h"
#include "cli/serve/hosts/hosts_job.h"

namespace traced {

struct LiveFinding {
  // Identifies the finding: equal for as long as the same problem lasts.
  std::string name;
  std::string text;
  // True if ranks are stuck or called different operations. Otherwise, ranks
  // are slow.
  bool is_severe = false;
  // The job's title, and the ranks that cause the problem, if known.
  std::string title;
  std::vector<std::uint32_t> causes;
  // The shell command that proves it, on the host where it can be run.
  std::string command;
  Json json;
};

// Returns the current findings of all jobs: ranks that called different
// operations under one number (certain), a rank that delays others, ranks with
// slow transfers, and long waits.
std::vector<LiveFinding> findingsOf(const std::vector<HostsJob>& jobs);

// Returns the HTML page served at "/", which reloads itself.
std::string livePage(const Hosts& hosts,
                     const std::vector<LiveFinding>& findings,
                     double interval_s);

// Returns the document served at "/verdicts".
Json verdictsJson(const Hosts& hosts, const std::vector<LiveFinding>& findings);

}  // namespace traced
