// ChunkScanner finds the valid chunks of an intact or damaged file. See
// docs/reference/format.md, "Chunks".

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace_io/byte_source.h"

namespace traced {

// A chunk with a valid checksum.
struct ScannedChunk {
  // Offset of the chunk in the source: its framing, or its sync word if the
  // framing is damaged.
  std::uint64_t offset = 0;
  // Offset of the sync word's tag.
  std::uint64_t body_offset = 0;
  std::uint64_t checksum = 0;
  // The bytes from the sync word's tag to the end. Valid until the next read of
  // the source.
  std::string_view body;
};

// The bytes [begin, end) of a source.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool operator==(const ByteRange&) const = default;
};

// Collects the byte ranges of a source that could not be used.
class UnusableBytes {
 public:
  // Adds a range. Ranges must be in ascending order; adjacent ones are merged.
  void add(ByteRange range);

  std::uint64_t total() const { return total_; }
  std::uint64_t rangeCount() const { return range_count_; }
  // Returns the first kMaxRanges ranges. Further ones are only counted, so that
  // a hostile file cannot grow the list.
  const std::vector<ByteRange>& firstRanges() const { return first_; }

 private:
  static constexpr std::size_t kMaxRanges = 1024;

  std::uint64_t total_ = 0;
  std::uint64_t range_count_ = 0;
  std::uint64_t last_end_ = 0;
  std::vector<ByteRange> first_;
};

// Not thread safe. The source must outlive the scanner.
class ChunkScanner {
 public:
  explicit ChunkScanner(ByteSource& source);

  // Returns the next valid chunk.
  // Returns nullopt at the end of the source, and after more failed checksum
  // bytes than honest damage can cause.
  std::optional<ScannedChunk> next();

  // Marks the chunk that next() returned last as unusable: its checksum is
  // valid, but its content is refused.
  void refuse();

  // Complete after next() returned nullopt.
  const UnusableBytes& unusable() const { return unusable_; }
  // Returns whether the source held a sync word, in a valid chunk or not.
  bool sawSync() const { return saw_sync_; }
  // Returns the offset that the scan has reached.
  std::uint64_t position() const { return position_; }

 private:
  // Returns the offset of the next sync word at or after `from`.
  std::optional<std::uint64_t> findSync(std::uint64_t from);
  // Returns the chunk whose sync word is at this offset, if it is valid.
  std::optional<ScannedChunk> chunkAt(std::uint64_t body_offset);
  // Returns where the framing of a body begins, or `body_offset` if it is
  // damaged.
  std::uint64_t framingStart(std::uint64_t body_offset, std::uint64_t length);

  ByteSource& source_;
  UnusableBytes unusable_;
  std::uint64_t position_ = 0;
  // The chunk returned last, until the next call of next().
  ByteRange current_;
  bool refused_ = false;
  // Remaining bytes that may fail a checksum. A hostile file can hold a sync
  // word in every 30 bytes, each announcing a chunk of 256 MiB.
  std::uint64_t wasted_bytes_left_;
  bool saw_sync_ = false;
};

// Returns whether `body` is a chunk with the right size and checksum. `body`
// runs from its sync word's tag to its end.
bool isValidChunk(std::string_view body);

// Returns the tag and length that precede a chunk's body in a file.
std::string chunkFraming(std::uint64_t body_bytes);

}  // namespace traced
