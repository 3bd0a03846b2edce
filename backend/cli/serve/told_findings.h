// ToldFindings says what is new: on stderr, and to a command.

#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/serve/live_findings.h"

namespace traced {

// Not thread safe.
class ToldFindings {
 public:
  // Tells those that the look before did not have, and which of that are over.
  // `command`: is run by a shell for each of them, with its JSON on standard
  // input; "": none is. Nobody waits for it.
  void look(const std::vector<LiveFinding>& findings,
            const std::string& command);

 private:
  std::set<std::string> known_;
};

}  // namespace traced
