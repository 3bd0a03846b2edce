// ChunkFrames turns stacks in words, as the ring has them, into stacks whose
// frames are definitions of their own: nearly all frames of a program's stacks
// are those of other stacks, too. Owned by the writer thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>

#include "traced/v1/trace.pb.h"

namespace traced {

// What a frame is known by: equal for equal frames, and never 0.
std::uint64_t frameId(const v1::Frame& frame);

// Gives each frame of the stack its id.
void nameFrames(v1::Stack& stack);

class ChunkFrames {
 public:
  // Adds a stack that has its ids to the payload, and those of its frames that
  // this chunk does not have yet. Returns how many bytes that took.
  std::size_t put(const v1::Stack& stack, v1::Payload& payload);

  // What follows belongs to another chunk.
  void nextChunk() noexcept { put_.clear(); }

 private:
  std::unordered_set<std::uint64_t> put_;
};

}  // namespace traced
