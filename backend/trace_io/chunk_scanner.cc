#include "trace_io/chunk_scanner.h"

#include <algorithm>
#include <cstring>

#include "trace_io/chunk_format.h"
#include "trace_io/varint.h"
#include "xxhash.h"

namespace traced {
namespace {

constexpr std::string_view kSyncBytes("\x09\xFE\x1A\x0A\x0D\xED\xAC\x17\x8A",
                                      9);
constexpr std::uint64_t kPatienceBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kPatiencePerByte = 16;
constexpr std::size_t kSearchBytes = std::size_t{1} << 18;

template <typename T>
T fixedAt(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Returns the body length that `prefix` announces, or 0 if it is not a chunk
// prefix.
std::uint64_t announcedBytes(std::string_view prefix) {
  if (prefix.size() < kChunkPrefixBytes) return 0;
  const auto tagAt = [&](std::size_t i) {
    return static_cast<std::uint8_t>(prefix[i]);
  };
  if (prefix.substr(0, kSyncBytes.size()) != kSyncBytes) return 0;
  if (tagAt(kChecksumOffset) != kTagChecksum) return 0;
  if (tagAt(kCheckedOffset) != kTagSize) return 0;
  const auto size = fixedAt<std::uint32_t>(prefix, kCheckedOffset + 1);
  return size > kMaxChunkBytes ? 0 : kChunkPrefixBytes + size;
}

}  // namespace

bool isValidChunk(std::string_view body) {
  if (announcedBytes(body) != body.size() || body.empty()) return false;
  const std::string_view checked = body.substr(kCheckedOffset);
  return XXH3_64bits(checked.data(), checked.size()) ==
         fixedAt<std::uint64_t>(body, kChecksumOffset + 1);
}

std::string chunkFraming(std::uint64_t body_bytes) {
  std::string framing(1, static_cast<char>(kTagChunk));
  appendVarint(framing, body_bytes);
  return framing;
}

void UnusableBytes::add(ByteRange range) {
  if (range.begin >= range.end) return;
  total_ += range.end - range.begin;
  const bool adjoins = range_count_ > 0 && range.begin == last_end_;
  last_end_ = range.end;
  if (!adjoins) {
    ++range_count_;
    if (first_.size() < kMaxRanges) first_.push_back(range);
  } else if (range_count_ == first_.size()) {
    first_.back().end = range.end;
  }
}

ChunkScanner::ChunkScanner(ByteSource& source)
    : source_(source),
      wasted_bytes_left_(kPatienceBytes + kPatiencePerByte * source.size()) {}

std::optional<ScannedChunk> ChunkScanner::next() {
  if (refused_) unusable_.add(current_);
  refused_ = false;
  const std::uint64_t begin = position_;
  for (std::uint64_t from = begin;; ++from) {
    std::optional<std::uint64_t> sync;
    if (wasted_bytes_left_ > 0) sync = findSync(from);
    if (!sync) {
      unusable_.add({begin, source_.size()});
      position_ = source_.size();
      return std::nullopt;
    }
    saw_sync_ = true;
    from = *sync;
    std::optional<ScannedChunk> chunk = chunkAt(*sync);
    if (!chunk) continue;
    unusable_.add({begin, chunk->offset});
    position_ = chunk->body_offset + chunk->body.size();
    current_ = {chunk->offset, position_};
    return chunk;
  }
}

void ChunkScanner::refuse() { refused_ = true; }

std::optional<std::uint64_t> ChunkScanner::findSync(std::uint64_t from) {
  while (from < source_.size()) {
    const std::string_view bytes = source_.read(from, kSearchBytes);
    const std::size_t found = bytes.find(kSyncBytes);
    if (found != std::string_view::npos) return from + found;
    if (bytes.size() < kSearchBytes) return std::nullopt;
    // A sync word may span the end of the searched bytes.
    from += bytes.size() - (kSyncBytes.size() - 1);
  }
  return std::nullopt;
}

std::optional<ScannedChunk> ChunkScanner::chunkAt(std::uint64_t body_offset) {
  const std::uint64_t length =
      announcedBytes(source_.read(body_offset, kChunkPrefixBytes));
  if (length == 0 || length > source_.size() - body_offset) return std::nullopt;

  ScannedChunk chunk;
  chunk.offset = framingStart(body_offset, length);
  chunk.body_offset = body_offset;
  chunk.body = source_.read(body_offset, length);
  if (!isValidChunk(chunk.body)) {
    wasted_bytes_left_ -= std::min(wasted_bytes_left_, length);
    return std::nullopt;
  }
  chunk.checksum = fixedAt<std::uint64_t>(chunk.body, kChecksumOffset + 1);
  return chunk;
}

std::uint64_t ChunkScanner::framingStart(std::uint64_t body_offset,
                                         std::uint64_t length) {
  constexpr std::uint64_t kMaxFraming = 11;
  const std::uint64_t back = std::min(kMaxFraming, body_offset - position_);
  const std::string_view before = source_.read(body_offset - back, back);
  for (std::size_t bytes = 2; bytes <= before.size(); ++bytes) {
    const std::string_view framing = before.substr(before.size() - bytes);
    if (static_cast<std::uint8_t>(framing[0]) == kTagChunk &&
        parseVarint(framing.substr(1)) == length) {
      return body_offset - bytes;
    }
  }
  return body_offset;
}

}  // namespace traced
