#include "cli/serve/verdict_commands.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/common/memory_file.h"
#include "phrasing/text.h"

namespace traced {

VerdictCommands::VerdictCommands(std::string command, MessageLog& log)
    : command_(std::move(command)), log_(log) {}

VerdictCommands::~VerdictCommands() {
  if (pending_.empty()) return;
  report(absl::StrCat("ended before the command ran for ",
                      countOf(pending_.size(), "verdict")));
}

void VerdictCommands::add(std::string json) {
  if (pending_.size() >= kMaxPending) {
    report(absl::StrCat("no command for a verdict: ", kMaxPending,
                        " others are pending"));
    return;
  }
  pending_.push_back(std::move(json));
}

void VerdictCommands::poll() {
  std::erase_if(running_, [](pid_t child) {
    return waitpid(child, nullptr, WNOHANG) != 0;
  });
  while (!pending_.empty() && running_.size() < kMaxRunning) {
    start(pending_.front());
    pending_.pop_front();
  }
  if (pending_.empty()) {
    reported_full_ = false;
  } else if (!std::exchange(reported_full_, true)) {
    report(absl::StrCat(countOf(pending_.size(), "verdict"),
                        " pending: ", kMaxRunning, " commands run already"));
  }
}

// Starts the command. The command line contains no text of a trace, which is
// not trusted. The command reads the verdict from a file in memory.
void VerdictCommands::start(const std::string& json) {
  const MemoryFile input(json);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input.path().c_str(),
                                   O_RDONLY, 0);
  const char* arguments[] = {"sh", "-c", command_.c_str(), nullptr};
  pid_t child = 0;
  if (input.isWhole() &&
      posix_spawn(&child, "/bin/sh", &actions, nullptr,
                  const_cast<char**>(arguments), environ) == 0) {
    running_.push_back(child);
  } else {
    report("the command could not be run");
  }
  posix_spawn_file_actions_destroy(&actions);
}

void VerdictCommands::report(const std::string& message) {
  log_.write(absl::StrCat("tracectl: --on-verdict: ", message));
}

void FindingNotifier::report(const std::vector<LiveFinding>& findings,
                             MessageLog& log, VerdictCommands* commands) {
  std::map<std::string, std::string> now;
  for (const LiveFinding& finding : findings) {
    now.emplace(finding.name, finding.text);
    if (known_.contains(finding.name)) continue;
    log.write(finding.text);
    if (commands) commands->add(jsonText(finding.json, -1) + "\n");
  }
  for (const auto& [name, text] : known_) {
    if (!now.contains(name)) log.write(absl::StrCat("no longer: ", text));
  }
  known_ = std::move(now);
  if (commands) commands->poll();
}

}  // namespace traced
