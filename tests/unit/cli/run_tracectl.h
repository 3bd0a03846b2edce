// Runs the tracectl that was built, as a user would.

#pragma once

#include <string>
#include <vector>

namespace traced::testing {

struct Ran {
  int exit_code = -1;
  std::string out;
  std::string err;
};

// `arguments` are for a shell; `after` comes behind the command, as "| head",
// and `before` in front of it, as "COLUMNS=80". Without that the screen has the
// usual size.
Ran runTracectl(const std::string& arguments, const std::string& after = "",
                const std::string& before = "COLUMNS=");

}  // namespace traced::testing
