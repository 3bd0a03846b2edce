// Defines sinks that keep chunks in memory.

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

// Window keeps the latest chunks of a process in memory, so that its recent
// records can be read without a disk.
//
// Thread safety: the writer thread calls append(); any thread may call
// content().
class Window : public Sink {
 public:
  // Holds at most `max_bytes`, but always the newest chunk. 0 holds nothing.
  explicit Window(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  bool append(const std::string& chunk, std::uint64_t records) override;
  std::string location() const override { return "memory"; }

  // Returns the chunks as a valid trace file.
  std::string content() const;

 private:
  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  std::deque<std::string> chunks_;
  std::size_t bytes_ = 0;
};

// QueueSink passes chunks to another thread. The consumer may be slow or need
// the GIL, because the writer thread does not wait for it.
//
// Thread safety: the writer thread calls append(); any thread may call the
// others.
class QueueSink : public Sink {
 public:
  // Queues at most `max_bytes`, but always accepts one chunk.
  QueueSink(std::string name, std::size_t max_bytes);

  // Returns false if the queue is full or closed, and counts the chunk as
  // dropped.
  bool append(const std::string& chunk, std::uint64_t records) override;
  std::string location() const override { return name_; }

  // Blocks until a chunk is available. Returns nullopt if the queue is closed
  // and empty.
  std::optional<std::string> take();
  // Rejects further chunks. take() still returns those already queued.
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
