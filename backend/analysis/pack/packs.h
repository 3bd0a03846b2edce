// Packs the traces of a job on one node into files that never change again. See
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

// Names the packs of a folder: NAME-0001.traced, NAME-0002.traced, ...
struct PackNames {
  std::string folder;
  std::string name;

  // Returns the path of pack `number`.
  std::string path(std::uint64_t number) const;
};

// PackedChunks lists what the existing packs of a folder contain.
class PackedChunks {
 public:
  // Reads the existing packs. A missing folder counts as empty. Damaged chunks
  // of a pack do not count.
  explicit PackedChunks(const PackNames& names);

  bool has(std::uint64_t stream_id, const ChunkRef& chunk) const {
    return chunks_.contains(keyOf(stream_id, chunk));
  }
  // Returns the number after the highest existing one; the first is 1.
  std::uint64_t nextNumber() const { return next_number_; }
  // Damage that existing packs already report, so that it is not reported
  // twice.
  std::uint64_t unusableBytes() const { return unusable_bytes_; }
  // Returns whether an existing pack contains the warning.
  bool hasWarning(const std::string& warning) const {
    return warnings_.contains(warning);
  }

 private:
  // Stream and checksum, then first and end position.
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
  // Size limit of a pack. A pack with a single chunk may exceed it.
  std::uint64_t max_bytes = 0;
  // Whether packs report problems of the inputs. A live trace may end in half a
  // chunk that is completed a moment later.
  bool reports_damage = true;
  // Version of the packing program.
  std::string version;
};

// Writes the chunks that `packed` lacks, of all streams except Flight Recorder
// dumps. Writes no file if nothing is new. Each file appears under its name
// only when it is complete. After an Error, packs completed before it remain.
// Memory: one chunk.
Result<std::vector<Pack>> writePacks(const TraceSet& set,
                                     const PackedChunks& packed,
                                     const PackPlan& plan,
                                     const ReadProgress& progress = {});

}  // namespace traced
