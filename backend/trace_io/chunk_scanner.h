// ChunkScanner walks the chunks of a file, whatever its state, as described in
// docs/reference/format.md, "Chunks".

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace_io/byte_source.h"

namespace traced {

// A chunk whose checksum is right.
struct ScannedChunk {
  // Where the chunk begins in the source: its framing, or its sync word when
  // the framing is damaged.
  std::uint64_t offset = 0;
  // Where the sync word's tag is.
  std::uint64_t body_offset = 0;
  std::uint64_t checksum = 0;
  // From the sync word's tag to the end; valid until the source is read again.
  std::string_view body;
};

// Bytes [begin, end) of a source.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool operator==(const ByteRange&) const = default;
};

// The bytes of a source that could not be used.
class UnusableBytes {
 public:
  // Ranges are added in ascending order; neighbours become one.
  void add(ByteRange range);

  std::uint64_t total() const { return total_; }
  std::uint64_t rangeCount() const { return range_count_; }
  // The first ranges; the rest is only counted, so that a hostile file cannot
  // make the list grow.
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

  // The next valid chunk; absent at the end of the source, or when more bytes
  // were checked in vain than any honest damage makes necessary.
  std::optional<ScannedChunk> next();

  // Declares the chunk that next() returned last unusable: its checksum is
  // right, but what it says is refused.
  void refuse();

  // Complete once next() returned nothing.
  const UnusableBytes& unusable() const { return unusable_; }
  // Whether the source held a sync word at all, in a valid chunk or not.
  bool sawSync() const { return saw_sync_; }
  // How far the scan is.
  std::uint64_t position() const { return position_; }

 private:
  std::optional<std::uint64_t> findSync(std::uint64_t from);
  std::optional<ScannedChunk> chunkAt(std::uint64_t body_offset);
  std::uint64_t framingStart(std::uint64_t body_offset, std::uint64_t length);

  ByteSource& source_;
  UnusableBytes unusable_;
  std::uint64_t position_ = 0;
  // The chunk returned last, until the next one is asked for.
  ByteRange current_;
  bool refused_ = false;
  // How many more bytes may be checked in vain: a hostile file can hold a sync
  // word in every 30 bytes, each of them announcing a chunk of 256 MiB.
  std::uint64_t patience_bytes_;
  bool saw_sync_ = false;
};

// Whether `body`, from its sync word's tag to its end, is a chunk whose size
// and checksum are right.
bool isValidChunk(std::string_view body);

// The tag and length that precede a chunk's body in a file.
std::string chunkFraming(std::uint64_t body_bytes);

}  // namespace traced
