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

// `arguments` are for a shell; `after` comes behind the command, as "| head".
Ran runTracectl(const std::string& arguments, const std::string& after = "");

}  // namespace traced::testing
