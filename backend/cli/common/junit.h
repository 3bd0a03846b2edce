// JUnit XML, which CI systems show as tests.

#pragma once

#include <string>
#include <vector>

namespace traced {

struct JunitCase {
  std::string name;
  // "failure", "error" or "skipped"; empty when it passed.
  const char* outcome = "";
  std::string message;
};

// A suite with these cases. `verb`: of tracectl.
std::string junitText(const std::string& suite, const std::string& verb,
                      const std::vector<JunitCase>& cases);

}  // namespace traced
