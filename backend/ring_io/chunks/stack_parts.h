// What stacks name, as definitions of their own: frames and C++ code.

#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "traced/v1/definitions.pb.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// What a frame is known by: equal for equal frames, and never 0.
std::uint64_t frameId(const v1::Frame& frame);

// Gives each frame of the stack its id.
void nameFrames(v1::Stack& stack);

// ChunkFrames turns stacks in words, as the ring has them, into stacks whose
// frames are definitions of their own: nearly all frames of a program's stacks
// are those of other stacks, too. Owned by the writer thread.
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

// CodeTable is the writer's memory of the C++ code that stacks name: it is put
// in every chunk that uses it, and again when its name becomes known. Owned by
// the writer thread.
class CodeTable {
 public:
  // A job has some thousand; what is more is not known.
  static constexpr std::size_t kMaxCode = 65536;

  // Code that a stack names; nothing if it is known.
  void define(v1::Code code);
  // Returns whether that is news.
  bool name(v1::Code named);

  // What was defined since the last call.
  std::vector<v1::Code> takeNew() { return std::exchange(new_, {}); }

  // The code, the first time that this chunk uses it; else nullptr.
  const v1::Code* useInThisChunk(std::uint64_t id);

  // Completes a chunk, as that of DefinitionTable.
  template <typename Put>
  void putFresh(Put put) {
    for (const std::uint64_t id : fresh_) {
      if (const v1::Code* code = useInThisChunk(id)) put(*code);
    }
  }
  void nextChunk() noexcept {
    fresh_.clear();
    ++chunk_;
  }
  // As those of DefinitionTable. What became known of code is put like that,
  // too.
  void repeat();
  template <typename Put, typename HasRoom>
  void putAgain(Put put, HasRoom hasRoom) {
    while (!again_.empty() && hasRoom()) {
      const std::uint64_t id = again_.back();
      again_.pop_back();
      if (const v1::Code* code = useInThisChunk(id)) put(*code);
    }
  }
  bool isRepeating() const { return !again_.empty(); }
  void stopRepeating() noexcept { again_.clear(); }

 private:
  struct Entry {
    v1::Code code;
    std::uint64_t put_in = 0;  // number of the last chunk
  };
  std::unordered_map<std::uint64_t, Entry> known_;
  std::vector<std::uint64_t> fresh_;
  std::vector<std::uint64_t> again_;
  std::vector<v1::Code> new_;
  std::uint64_t chunk_ = 1;
};

}  // namespace traced
