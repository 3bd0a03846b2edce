#include "run_tracectl.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>

#include "support/temp_dir.h"
#include "support/trace_file.h"

namespace traced::testing {

Ran runTracectl(const std::string& arguments, const std::string& after,
                const std::string& before) {
  const TempDir dir;
  const std::string err = dir.path() + "/err";
  const std::string command = before + " '" + TRACECTL_PATH + "' " + arguments +
                              " 2>'" + err + "' " + after;
  Ran ran;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return ran;
  std::array<char, 65536> buffer;
  while (const std::size_t got =
             std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    ran.out.append(buffer.data(), got);
  }
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) ran.exit_code = WEXITSTATUS(status);
  ran.err = readFile(err);
  return ran;
}

}  // namespace traced::testing
