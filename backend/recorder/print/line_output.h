// LineOutput writes lines to a descriptor that may be slow, blocked or closed.
// Only its own thread waits for the descriptor. It leaves most of a pipe's
// capacity to other writers. Lines without room are dropped and counted.
//
// Thread safety: any thread.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace traced {

class LineOutput {
 public:
  // Maximum bytes of a line, including its newline. A pipe takes this many
  // bytes atomically, so lines of several processes do not mix.
  static constexpr std::size_t kMaxLineBytes = 4096;
  // Maximum bytes that wait to be written.
  static constexpr std::size_t kMaxBytes = std::size_t{256} << 10;

  // Starts the thread, which may outlive this object.
  explicit LineOutput(int descriptor);
  ~LineOutput();
  LineOutput(const LineOutput&) = delete;
  LineOutput& operator=(const LineOutput&) = delete;

  // Queues a line without its newline, or drops and counts it. Never waits for
  // the descriptor.
  void put(const std::string& line) noexcept;

  // Returns the number of lines that were dropped.
  std::uint64_t dropped() const noexcept;

  // Waits until all lines are written, at most until the timeout. Drops and
  // counts the rest, and every later line.
  void finish(std::chrono::milliseconds timeout) noexcept;

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace traced
