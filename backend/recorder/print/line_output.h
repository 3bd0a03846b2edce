// LineOutput writes lines to a descriptor that may be slow, stuck or closed:
// nobody waits for it but a thread of its own, and most of what a pipe can hold
// is left to others who write there. What has no room meanwhile is dropped and
// counted.
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
  // A line with its end; so much a pipe takes whole or not at all, so that
  // lines of several processes do not mix.
  static constexpr std::size_t kMaxLineBytes = 4096;
  // What waits to be written.
  static constexpr std::size_t kMaxBytes = std::size_t{256} << 10;

  // Starts the thread, which may outlive the object.
  explicit LineOutput(int descriptor);
  ~LineOutput();
  LineOutput(const LineOutput&) = delete;
  LineOutput& operator=(const LineOutput&) = delete;

  // Takes a line without its end, or drops and counts it. Never waits for the
  // descriptor.
  void put(const std::string& line) noexcept;

  // Lines that are not, and will not be, written.
  std::uint64_t dropped() const noexcept;

  // Waits until what was put is written, at most so long; what is not by then
  // is dropped.
  void finish(std::chrono::milliseconds deadline) noexcept;

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace traced
