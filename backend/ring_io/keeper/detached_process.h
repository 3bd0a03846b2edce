// Starts a program that is nobody's child as far as the calling program can
// tell: no SIGCHLD comes of it, no wait() sees it, and it has nothing of the
// caller's but what it is given.
//
// The caller may be large, have any number of threads and a GPU in use, so none
// of its memory is copied and no handler of fork() runs.

#pragma once

#include <string>
#include <vector>

namespace traced {

struct DetachedProcess {
  // Absolute path of the program, and its arguments.
  std::vector<std::string> words;
  // All of its environment: NAME=VALUE.
  std::vector<std::string> variables;
  // What it has as descriptor 2: one of ours, or -1: /dev/null, as 0 and 1.
  int words_to = -1;
  // Its descriptor 3; -1: it has none.
  int handed_on = -1;
};

// Returns when the program runs: 0, or else the number of what went wrong. It
// begins in a session of its own, in /, and ignores the signals that are sent
// to whole jobs.
int startDetached(const DetachedProcess& process);

}  // namespace traced
