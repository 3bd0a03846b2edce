// Splits stacks into shared definitions: frames and C++ code.

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

// Returns the hash that identifies a frame: equal for equal frames, never 0.
std::uint64_t frameId(const v1::Frame& frame);

// Sets the ids of the stack's frames.
void nameFrames(v1::Stack& stack);

// ChunkFrames stores each frame once per chunk. Stacks in the ring contain
// their frames; in a chunk they refer to frame ids, because most stacks share
// frames. Owned by the writer thread.
class ChunkFrames {
 public:
  // Adds a stack to the payload, and those of its frames that this chunk lacks.
  // The stack's frame ids must be set. Returns the number of bytes added.
  std::size_t put(const v1::Stack& stack, v1::Payload& payload);

  // Starts the next chunk.
  void nextChunk() noexcept { put_.clear(); }

 private:
  std::unordered_set<std::uint64_t> put_;
};

// CodeTable stores the C++ code that stacks refer to. Each chunk that uses a
// piece of code contains it, and again when its name becomes known. Owned by
// the writer thread.
class CodeTable {
 public:
  // Upper bound; a job uses a few thousand. Further code is ignored.
  static constexpr std::size_t kMaxCode = 65536;

  // Adds code that a stack refers to. Ignores known code.
  void define(v1::Code code);
  // Sets the name of known code. Returns false if the code is unknown.
  bool name(v1::Code named);

  // Returns the code defined since the last call.
  std::vector<v1::Code> takeNew() { return std::exchange(new_, {}); }

  // The code, the first time that this chunk uses it; else nullptr.
  const v1::Code* useInThisChunk(std::uint64_t id);

  // Completes a chunk: calls `put` with the code that is new since the last
  // chunk and unused by this one.
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
  // Requests that all code is put again. putAgain() puts it into this chunk and
  // the following ones, as far as each has room. It also puts code whose name
  // became known.
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
