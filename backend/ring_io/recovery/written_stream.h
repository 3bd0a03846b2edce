// WrittenStream reads what the trace files of a dead process's stream contain.

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
  // Scans the existing parts. Returns an error of one sentence if none exists
  // or they belong to another stream.
  static Result<std::unique_ptr<WrittenStream>> open(const std::string& part_0,
                                                     std::uint64_t stream_id);

  // Uses chunks that were found in files of any kind, so parts() is empty.
  // Returns an error of one sentence if a file cannot be opened.
  static Result<std::unique_ptr<WrittenStream>> of(
      const WrittenChunks& written);

  // Returns the parts. `bytes` excludes a chunk that was torn by the death of
  // its writer. It must be truncated, because its records are still in the
  // ring. Other damage is included, because readers resynchronize after it.
  const std::vector<TracePart>& parts() const { return parts_; }
  // Returns the ring position after the last chunk.
  std::uint64_t endPosition() const { return end_position_; }
  // Return the values of the latest chunk that has them; empty if none has.
  const v1::Header& header() const { return header_; }
  const v1::Accounts& accounts() const { return accounts_; }
  const v1::ClockAnchor& anchor() const { return anchor_; }
  // Returns the number of records in deleted parts.
  std::uint64_t recordsDeleted() const { return records_deleted_; }

  // Decodes the chunks, newest first, until `visit` returns false. Skips
  // damaged ones.
  void newestFirst(const std::function<bool(const v1::Payload&)>& visit);

 private:
  struct StoredChunk {
    std::size_t part = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };

  WrittenStream() = default;
  // Finds the chunks of a part. An Error is one sentence.
  Result<bool> scan(std::size_t part, std::uint64_t stream_id);
  // Returns the payload, valid until the next call, or nullptr if it is
  // damaged.
  const v1::Payload* decode(const StoredChunk& chunk);
  // Reads header_, accounts_ and anchor_ from the latest chunk with accounts.
  void readEnd();
  void countParts();
  // Returns the number of records written before the part was begun.
  std::uint64_t writtenBefore(std::size_t part);

  std::vector<TracePart> parts_;
  std::vector<StoredChunk> chunks_;
  std::uint64_t end_position_ = 0;
  v1::Header header_;
  v1::Accounts accounts_;
  v1::ClockAnchor anchor_;
  std::uint64_t records_deleted_ = 0;

  ChunkDecoder decoder_;
  // One per part. They stay open, so that a part can be read after it was
  // deleted to make room.
  std::vector<std::unique_ptr<FileSource>> sources_;
};

// Returns whether the `rest_bytes` bytes after a file's last whole chunk are
// the beginning of another one. True for no bytes. `rest` holds the first ones,
// enough for the framing of a chunk.
bool isTornChunk(std::string_view rest, std::uint64_t rest_bytes);

}  // namespace traced
