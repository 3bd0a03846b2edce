// Sink is the interface of a destination for chunks. Implement it to send a
// process's trace somewhere other than its file.
//
// A sink receives every chunk of the process, whole and in order. Each chunk
// can be decoded alone (docs/reference/format.md). Concatenated chunks are a
// valid trace file.
//
// Every recorder has a FileSink. Window keeps the latest chunks in memory, and
// QueueSink passes them to another thread. Recorder::addSink() accepts any
// number of others.

#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace traced {

class Sink {
 public:
  virtual ~Sink() = default;

  // Accepts one whole chunk, which holds `records` records.
  // Returns false if it accepts nothing. Then no byte of the chunk may remain,
  // and errno has the reason (ENOENT: the destination was removed).
  //
  // Only the writer thread calls append(), and all other sinks wait for it. Put
  // anything slower than a local disk behind a QueueSink.
  // An implementation must not need the GIL, nor a lock that is held while a
  // collective is called.
  virtual bool append(const std::string& chunk, std::uint64_t records) = 0;

  // Returns the largest chunk that append() accepts, in bytes.
  virtual std::uint64_t largestChunk() const {
    return std::numeric_limits<std::uint64_t>::max();
  }

  // Returns how many new parts were begun. The chunks before the newest part
  // may be deleted. Only append() changes the value.
  virtual std::uint64_t partsBegun() const { return 0; }

  // Returns the number of records that were accepted and later deleted to stay
  // within a space limit.
  virtual std::uint64_t recordsDeleted() const { return 0; }

  // Returns a description of the destination, for messages. Any thread.
  virtual std::string location() const = 0;
};

}  // namespace traced
