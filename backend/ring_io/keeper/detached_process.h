// Starts a program without the caller noticing it: no SIGCHLD, no result of
// wait(), and no inherited state except what is passed.
//
// The caller may be large, with many threads and a GPU in use. Its memory is
// not copied, and no fork() handler runs.

#pragma once

#include <string>
#include <vector>

namespace traced {

struct DetachedProcess {
  // Absolute path of the program and its arguments.
  std::vector<std::string> words;
  // The whole environment, as NAME=VALUE.
  std::vector<std::string> variables;
  // The caller's descriptor that becomes stderr of the program. -1: /dev/null,
  // as for stdin and stdout.
  int stderr_fd = -1;
  // The caller's descriptor that becomes descriptor 3. -1: none.
  int inherited_fd = -1;
};

// Starts the program. Blocks until it has replaced the new process. Returns 0,
// or the errno value of the step that failed.
// The program gets its own session, starts in / and ignores the signals that
// are usually sent to whole jobs.
int startDetached(const DetachedProcess& process);

}  // namespace traced
