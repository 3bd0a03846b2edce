// Sink is where chunks go: what to implement to bring the trace of a process
// somewhere else than into its file.
//
// A sink gets every chunk of the process, whole and in order. Each decodes
// alone (docs/reference/format.md), and a stream of them, one after another, is
// a valid trace file. FileSink is the one that every recorder has; Window keeps
// the latest chunks in memory; QueueSink hands them to a thread of somebody
// else's. Recorder::addSink() takes any number of others.

#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace traced {

class Sink {
 public:
  virtual ~Sink() = default;

  // Takes one whole chunk, or nothing: false means that no byte of it is left
  // behind, and errno says why (ENOENT: there is nothing to append to any
  // more). `records` is how many records the chunk holds.
  //
  // Called by the writer thread only, which every other sink waits for: what
  // may take longer than writing to a local disk belongs behind a QueueSink. It
  // must not need the GIL, nor a lock that is held while a collective is
  // called.
  virtual bool append(const std::string& chunk, std::uint64_t records) = 0;

  // No chunk larger than this is ever taken.
  virtual std::uint64_t largestChunk() const {
    return std::numeric_limits<std::uint64_t>::max();
  }

  // How many times the chunks went on in a new place, so that those before it
  // may be deleted. Only append changes it.
  virtual std::uint64_t partsBegun() const { return 0; }

  // Records in chunks that were taken and have been deleted since, because of
  // a bound on the space.
  virtual std::uint64_t recordsDeleted() const { return 0; }

  // Where the chunks go, for messages. Any thread.
  virtual std::string location() const = 0;
};

}  // namespace traced
