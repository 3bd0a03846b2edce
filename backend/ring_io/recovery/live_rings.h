// What the rings on this host hold that the files of their traces do not, read
// without touching anything, whether their processes live or are dead.
//
// The writer thread appends to a trace every second or few, and does not when
// it is stopped or its disk hangs; a process that is killed leaves its ring.
// A ring is read before the files are: what is no longer in it is in them by
// then. What the files lack is found out afterwards, so that nothing is twice.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "ring_io/recovery/segment_copy.h"

namespace traced {

// A ring by the name of its file, which may be anybody's.
struct RingFile {
  std::string path;
  std::uint64_t stream_id = 0;
  uid_t uid = 0;
};

// The rings below directories, by path; also those that may not be read.
std::vector<RingFile> findRings(const std::vector<std::string>& directories);

// A ring as it was at one instant.
struct RingReading {
  std::string path;
  uid_t uid = 0;
  std::uint64_t stream_id = 0;
  std::uint32_t rank = 0;
  std::int64_t pid = 0;
  // Its process lived at `read_at`, and had recorded no more than this by then.
  bool alive = false;
  std::optional<ClockReading> read_at;
  SegmentCopy segment;
};

// Whether the trace that a ring names is one of `traces` or lies below one of
// these directories.
bool namesOneOf(const RingFile& ring, const std::vector<std::string>& traces);

// Returns whose the trace is that a ring names.
std::optional<uid_t> traceOwner(const RingFile& ring);

// Absent when the ring is gone, or still being made. An Error is one sentence
// about why it cannot be used.
std::optional<Result<RingReading>> readRing(const RingFile& ring);

// The chunks of a stream that the files have, by position, and where.
struct WrittenChunks {
  struct StoredChunk {
    std::size_t file = 0;  // index into `files`
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t end_position = 0;
  };

  std::vector<std::string> files;
  std::vector<StoredChunk> chunks;
};

// What the files lack, as chunks that are read behind them. Of a process that
// lives they say that nothing else had been recorded when its ring was read; of
// one that does not, that it was killed. "" when the files have all of it.
Result<std::string> chunksBeyond(const RingReading& ring,
                                 const WrittenChunks& written);

}  // namespace traced
