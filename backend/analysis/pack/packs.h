// Packing: what a node has of a job, in files that never change again. See
// docs/reference/cli/merge.md.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analysis/reading/trace_set.h"
#include "base/result.h"

namespace traced {

// The packs of one name in one folder: NAME-0001.traced and so on.
struct PackNames {
  std::string folder;
  std::string name;

  // Of the pack of that number.
  std::string path(std::uint64_t number) const;
};

// PackedChunks is what the packs of a folder have already.
class PackedChunks {
 public:
  // Reads what is there; a folder that is not there has none. A pack that is
  // damaged has what is still whole.
  explicit PackedChunks(const PackNames& names);

  bool has(std::uint64_t stream_id, const ChunkRef& chunk) const {
    return chunks_.contains(keyOf(stream_id, chunk));
  }
  // Behind the last that is there, from 1 on.
  std::uint64_t nextNumber() const { return next_number_; }
  // What packs told of damage in the traces, so that none tells it again.
  std::uint64_t unusableBytes() const { return unusable_bytes_; }
  bool told(const std::string& warning) const {
    return warnings_.contains(warning);
  }

 private:
  // Stream, first and end position, checksum.
  using Key = std::pair<std::pair<std::uint64_t, std::uint64_t>,
                        std::pair<std::uint64_t, std::uint64_t>>;

  static Key keyOf(std::uint64_t stream_id, const ChunkRef& chunk) {
    return {{stream_id, chunk.checksum},
            {chunk.first_position, chunk.end_position}};
  }

  absl::flat_hash_set<Key> chunks_;
  absl::flat_hash_set<std::string> warnings_;
  std::uint64_t next_number_ = 1;
  std::uint64_t unusable_bytes_ = 0;
};

struct Pack {
  std::string path;
  std::uint64_t streams = 0;
  std::uint64_t chunks = 0;
  std::uint64_t bytes = 0;
};

struct PackPlan {
  PackNames names;
  // Of a pack; one with a single chunk may have more.
  std::uint64_t max_bytes = 0;
  // Whether what was wrong with the inputs is told in the packs: a trace that
  // is being written may end in half a chunk that is whole a moment later.
  bool reports_damage = true;
  // That of the program that packs.
  std::string version;
};

// Writes the chunks of all streams but Flight Recorder dumps that `packed` does
// not have; no file where there are none. Each file appears under its name once
// it is complete; an Error leaves those before it. Memory: one chunk.
Result<std::vector<Pack>> writePacks(const TraceSet& set,
                                     const PackedChunks& packed,
                                     const PackPlan& plan,
                                     const ReadProgress& progress = {});

}  // namespace traced
