// MessageLog writes lines to stderr on its own thread, so that `serve` never
// waits for a reader of its stderr.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "cli/serve/background.h"

namespace traced {

// Thread safe.
class MessageLog {
 public:
  static constexpr std::size_t kMaxPendingLines = 16384;
  static constexpr std::size_t kMaxPendingBytes = 1 << 20;

  MessageLog();

  // Queues `line`, to which a newline is added. Drops and counts it while too
  // much is pending. The next line written is preceded by that count.
  void write(const std::string& line);
  // Returns the number of all lines dropped so far.
  std::uint64_t dropped() const;
  // Blocks until the lines are written, or until `timeout` passed.
  void finish(std::chrono::nanoseconds timeout);

 private:
  struct State;

  const std::shared_ptr<State> state_;
  Background background_;
};

}  // namespace traced
