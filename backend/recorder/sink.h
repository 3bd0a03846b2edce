// Sink is where chunks go.

#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace traced {

// Used by the writer thread only.
class Sink {
 public:
  virtual ~Sink() = default;

  // Appends one whole chunk, or nothing: false means that no byte of it is left
  // behind, and errno says why (ENOENT: there is nothing to append to any
  // more). `records` is how many records the chunk holds.
  virtual bool append(const std::string& chunk, std::uint64_t records) = 0;

  // No chunk larger than this is ever taken.
  virtual std::uint64_t largestChunk() const {
    return std::numeric_limits<std::uint64_t>::max();
  }

  // How many times the chunks went on in a new place, so that those before it
  // may be deleted. Only append changes it.
  virtual std::uint64_t partsBegun() const { return 0; }

  // Records in chunks that were stored and have been deleted since, because of
  // a bound on the space.
  virtual std::uint64_t recordsDeleted() const = 0;

  // Where the chunks are, for messages.
  virtual std::string location() const = 0;
};

}  // namespace traced
