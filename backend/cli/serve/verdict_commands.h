// VerdictCommands runs the command of --on-verdict in a shell, once for each
// verdict, with a bound on commands that run at the same time.

#pragma once

#include <sys/types.h>

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "cli/serve/live_findings.h"
#include "cli/serve/message_log.h"

namespace traced {

// Not thread safe.
class VerdictCommands {
 public:
  static constexpr std::size_t kMaxRunning = 8;
  static constexpr std::size_t kMaxPending = 256;

  // Reports to `log` when verdicts have to wait for commands, and each verdict
  // without a command.
  VerdictCommands(std::string command, MessageLog& log);
  // Leaves commands that run alone. Reports verdicts that are still pending.
  ~VerdictCommands();
  VerdictCommands(const VerdictCommands&) = delete;
  VerdictCommands& operator=(const VerdictCommands&) = delete;

  // Runs the command with `json` on its standard input, as soon as fewer than
  // kMaxRunning commands run. Drops the verdict if too many are pending.
  void add(std::string json);
  // Reaps commands that ended, and starts those of pending verdicts.
  void poll();

 private:
  // Starts the command with `json` on its standard input.
  void start(const std::string& json);
  void report(const std::string& message);

  const std::string command_;
  MessageLog& log_;
  std::vector<pid_t> running_;
  std::deque<std::string> pending_;
  bool reported_full_ = false;
};

// FindingNotifier reports what is new: on stderr, and to a command. Not thread
// safe.
class FindingNotifier {
 public:
  // Reports to `log` and `commands` the findings that the previous call did not
  // have, and to `log` those that are over. `commands` may be null.
  void report(const std::vector<LiveFinding>& findings, MessageLog& log,
              VerdictCommands* commands);

 private:
  // Texts by name.
  std::map<std::string, std::string> known_;
};

}  // namespace traced
