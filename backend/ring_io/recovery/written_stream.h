// WrittenStream is what the files of a dead process's stream hold already.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "ring_io/recovery/live_rings.h"
#include "ring_io/sinks/trace_parts.h"
#include "trace_io/byte_source.h"
#include "trace_io/chunk_decoder.h"
#include "trace_io/chunk_scanner.h"
#include "traced/v1/trace.pb.h"

namespace traced {

class WrittenStream {
 public:
  // Scans the parts that are there. An error, one sentence, if there is none,
  // or if they are not this stream's.
  static Result<std::unique_ptr<WrittenStream>> open(const std::string& part_0,
                                                     std::uint64_t stream_id);

  // What was found of the stream in files of any kind, which have no parts.
  static Result<std::unique_ptr<WrittenStream>> of(
      const WrittenChunks& written);

  // Their bytes end with the last whole chunk: a chunk that was torn when its
  // writer died is to be cut off, because its records are still in the ring.
  // Other damage stays, behind it a reader finds its way again.
  const std::vector<TracePart>& parts() const { return parts_; }
  // Ring positions from here on are in no chunk.
  std::uint64_t endPosition() const { return end_position_; }
  // Of the last chunk that says so; nothing set when there is none.
  const v1::Header& header() const { return header_; }
  const v1::Accounts& accounts() const { return accounts_; }
  const v1::ClockAnchor& anchor() const { return anchor_; }
  // Records in parts that were deleted.
  std::uint64_t recordsDeleted() const { return records_deleted_; }

  // Decodes the chunks, the newest first, until `visit` returns false.
  void newestFirst(const std::function<bool(const v1::Payload&)>& visit);

 private:
  struct StoredChunk {
    std::size_t part = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };

  WrittenStream() = default;
  Result<bool> scan(std::size_t part, std::uint64_t stream_id);
  const v1::Payload* decode(const StoredChunk& chunk);
  void readEnd();
  void countParts();
  // Records written before a part was begun.
  std::uint64_t writtenBefore(std::size_t part);

  std::vector<TracePart> parts_;
  std::vector<StoredChunk> chunks_;
  std::uint64_t end_position_ = 0;
  v1::Header header_;
  v1::Accounts accounts_;
  v1::ClockAnchor anchor_;
  std::uint64_t records_deleted_ = 0;

  ChunkDecoder decoder_;
  // Of each part; open, so that a part can be read when it was deleted to make
  // room for what is recovered.
  std::vector<std::unique_ptr<FileSource>> sources_;
};

// Whether `rest`, the end of a file behind its last whole chunk, is the
// beginning of another one.
bool isTornChunk(std::string_view rest, std::uint64_t rest_bytes);

}  // namespace traced
