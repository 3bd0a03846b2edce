// ToldFindings says what is new: on stderr, and to a command.

#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/serve/live_findings.h"
#include "cli/serve/message_log.h"
#include "cli/serve/verdict_commands.h"

namespace traced {

// Not thread safe.
class ToldFindings {
 public:
  // Reports to `log` and `commands` the findings that the previous call did not
  // have, and to `log` those that are over. `commands` may be null.
  void look(const std::vector<LiveFinding>& findings, MessageLog& log,
            VerdictCommands* commands);

 private:
  std::set<std::string> known_;
};

}  // namespace traced
