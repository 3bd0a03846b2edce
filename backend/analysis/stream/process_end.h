// ProcessEnd is how a process ended, as far as anybody saw it: the exception
// that nobody caught, what it gave to exit(), the signal that killed it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/stream/stream_table.h"
#include "base/instant.h"

namespace traced {

enum class EndKind : std::uint8_t {
  // Nobody saw an end: it may live.
  kUnknown,
  // It closed its trace, and nothing tells of a failure.
  kInOrder,
  // An exception ended it.
  kRaised,
  // It ended by itself, with an exit code that is not 0.
  kExited,
  // A signal ended it.
  kKilled,
  // It is gone without having closed its trace; more was not seen.
  kDied,
};

// "in_order", as the JSON has it.
const char* nameOf(EndKind kind);

struct ProcessEnd {
  EndKind kind = EndKind::kUnknown;
  // Type and message: of the exception that ended the process, and of the last
  // one that ended another thread than the main one, behind its name. "": none
  // was seen.
  std::string exception;
  std::string thread_exception;
  // When nobody had caught the first of these.
  Instant raised;
  // The line of the program that a KeyboardInterrupt reached, "train.py:22 in
  // load"; "": not recorded.
  std::string interrupted_at;
  // When somebody saw that a signal had ended the process.
  Instant signal_seen;
  // Absent: not seen.
  std::optional<std::uint32_t> exit_code;
  // 0: none was seen.
  std::uint32_t signal = 0;
  bool oom_killed = false;

  // It ended by itself and not in order: nobody interrupted it.
  bool failed() const;
  // Somebody else ended it: by an interrupt, or by a signal that no code of a
  // program brings about.
  bool wasInterrupted() const;
  bool wasKilled() const;
  // The first line of the exception, made part of a sentence: at most 400
  // bytes.
  std::string exceptionLine() const;
  // Others may have brought it about: an interrupt, or an abort, as by a
  // watchdog.
  bool mayBeConsequence() const;
};

ProcessEnd processEndOf(const StreamTable& table);

// Whether both ended by the same: the first line of an exception, an exit code,
// a signal.
bool endedAlike(const ProcessEnd& a, const ProcessEnd& b);

// "SIGKILL"; "signal 77" of one without a name.
std::string signalName(std::uint32_t signal);

}  // namespace traced
