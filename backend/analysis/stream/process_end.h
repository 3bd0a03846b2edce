// ProcessEnd describes how a process ended, as far as recorded: an uncaught
// exception, an exit code, or a signal.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/stream/stream_table.h"
#include "base/instant.h"

namespace traced {

enum class EndKind : std::uint8_t {
  // No end was recorded; the process may be running.
  kUnknown,
  // It closed its trace, and no failure was recorded.
  kInOrder,
  // An exception ended it.
  kRaised,
  // It exited by itself with a nonzero code.
  kExited,
  // A signal ended it.
  kKilled,
  // It disappeared without closing its trace. Nothing else is known.
  kDied,
};

// Returns the name used in JSON, such as "in_order".
const char* nameOf(EndKind kind);

struct ProcessEnd {
  EndKind kind = EndKind::kUnknown;
  // Type and message of the exception that ended the process; "" if none.
  // `thread_exception`: the last one that ended another thread, after the
  // thread's name.
  std::string exception;
  std::string thread_exception;
  // When the first of these was raised uncaught.
  Instant raised;
  // The line interrupted by KeyboardInterrupt: "train.py:22 in load"; "" if not
  // recorded.
  std::string interrupted_at;
  // When the killing signal was noticed.
  Instant signal_seen;
  // Absent if not recorded.
  std::optional<std::uint32_t> exit_code;
  // 0: none.
  std::uint32_t signal = 0;
  bool oom_killed = false;

  // Returns whether it failed by itself, without being interrupted.
  bool failed() const;
  // Return whether something else ended it: an interrupt, or a signal that a
  // program does not cause by itself.
  bool wasInterrupted() const;
  bool wasKilled() const;
  // Returns the first line of the exception without trailing periods, at most
  // 400 bytes.
  std::string exceptionLine() const;
  // Returns whether another failure may have caused it: an interrupt, a signal,
  // or an abort, such as by a watchdog.
  bool mayBeConsequence() const;
};

// Combines the exception marks, the exit code and the signal of a stream.
ProcessEnd processEndOf(const StreamTable& table);

// Returns whether both ended for the same reason: equal first line of the
// exception, exit code or signal.
bool endedAlike(const ProcessEnd& a, const ProcessEnd& b);

// Returns "SIGKILL", or "signal 77" for a signal without a name.
std::string signalName(std::uint32_t signal);

}  // namespace traced
