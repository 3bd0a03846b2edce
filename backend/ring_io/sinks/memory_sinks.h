// Sinks that keep chunks in memory.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "ring_io/sinks/sink.h"

namespace traced {

// Window keeps the latest chunks of a process in memory, for a look at what it
// recorded lately that needs no disk.
//
// Thread safety: append() from the writer thread, content() from any.
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

// QueueSink hands chunks to a thread of somebody else's, which may be slow or
// need the GIL: the writer thread waits for neither.
//
// Thread safety: append() from the writer thread, the others from any.
class QueueSink : public Sink {
 public:
  // Holds at most so many bytes that nobody took yet, but always one chunk.
  QueueSink(std::string name, std::size_t max_bytes);

  // False, and counted, when the queue is full or closed.
  bool append(const std::string& chunk, std::uint64_t records) override;
  std::string location() const override { return name_; }

  // Waits for a chunk; nullopt when the queue is closed and empty.
  std::optional<std::string> take();
  // Lets take() hand out what is there, and no more.
  void close();

  std::uint64_t droppedChunks() const;
  std::uint64_t droppedRecords() const;

 private:
  const std::string name_;
  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> chunks_;
  std::size_t bytes_ = 0;
  std::uint64_t dropped_chunks_ = 0;
  std::uint64_t dropped_records_ = 0;
  bool closed_ = false;
};

}  // namespace traced
