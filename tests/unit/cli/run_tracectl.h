// Runs the tracectl of this build, like a user.

#pragma once

#include <string>
#include <vector>

namespace traced::testing {

struct Ran {
  int exit_code = -1;
  std::string out;
  std::string err;
};

// Runs tracectl in a shell, which parses `arguments`. `after` follows the
// command ("| head"), `before` precedes it ("COLUMNS=80"). By default the
// screen has the standard width.
Ran runTracectl(const std::string& arguments, const std::string& after = "",
                const std::string& before = "COLUMNS=");

}  // namespace traced::testing
