// Window keeps the latest chunks of a process in memory, for a look at what it
// recorded lately that needs no disk.
//
// Thread safety: append() from the writer thread, content() from any.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

#include "ring_io/sinks/sink.h"

namespace traced {

class Window : public Sink {
 public:
  // Holds at most so many bytes, but always the newest chunk; 0: nothing.
  explicit Window(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  bool append(const std::string& chunk, std::uint64_t records) override;
  std::string location() const override { return "memory"; }

  // The chunks, one after another: a valid trace file.
  std::string content() const;

 private:
  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  std::deque<std::string> chunks_;
  std::size_t bytes_ = 0;
};

}  // namespace traced
