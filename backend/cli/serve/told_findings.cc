#include "cli/serve/told_findings.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>
#include <utility>

#include "cli/common/memory_file.h"
#include "cli/common/text.h"

extern char** environ;

namespace traced {
namespace {

// What a trace says is in no word of the command: it is read from a file in
// memory.
void runCommand(const std::string& command, const std::string& json) {
  const MemoryFile input(json);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input.path().c_str(),
                                   O_RDONLY, 0);
  const char* words[] = {"sh", "-c", command.c_str(), nullptr};
  pid_t child = 0;
  if (!input.isWhole() ||
      posix_spawn(&child, "/bin/sh", &actions, nullptr,
                  const_cast<char**>(words), environ) != 0) {
    std::cerr << "tracectl: --on-verdict: the command could not be run\n";
  }
  posix_spawn_file_actions_destroy(&actions);
}

}  // namespace

void ToldFindings::look(const std::vector<LiveFinding>& findings,
                        const std::string& command) {
  // Of commands that ended.
  while (waitpid(-1, nullptr, WNOHANG) > 0) continue;
  std::set<std::string> now;
  for (const LiveFinding& finding : findings) {
    now.insert(finding.name);
    if (known_.contains(finding.name)) continue;
    std::cerr << finding.text << std::endl;
    if (!command.empty())
      runCommand(command, jsonText(finding.json, -1) + "\n");
  }
  for (const std::string& name : known_) {
    if (!now.contains(name))
      std::cerr << "over: " << printable(name) << std::endl;
  }
  known_ = std::move(now);
}

}  // namespace traced
