// Reads the records in this host's rings that their trace files lack. Works for
// live and dead processes, and modifies nothing.
//
// The writer thread appends to a trace every few seconds, but not while it is
// stopped or its disk hangs. A killed process leaves its ring.
//
// Read a ring before its trace files: records that have left the ring are then
// in the files. chunksBeyond() drops what the files have, so no record appears
// twice.

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

// A ring, identified by its file name. Any user may have created the file.
struct RingFile {
  std::string path;
  std::uint64_t stream_id = 0;
  uid_t uid = 0;
};

// Returns the rings in `directories`, sorted by path. Includes rings that may
// not be read.
std::vector<RingFile> findRings(const std::vector<std::string>& directories);

// The content of a ring at one instant.
struct RingReading {
  std::string path;
  uid_t uid = 0;
  std::uint64_t stream_id = 0;
  std::uint32_t rank = 0;
  std::int64_t pid = 0;
  // Whether the process was alive at `read_at`. It had then recorded nothing
  // beyond this content.
  bool alive = false;
  std::optional<ClockReading> read_at;
  SegmentCopy segment;
};

// Returns whether the trace that the ring names is one of `traces` or below one
// of these directories.
bool namesOneOf(const RingFile& ring, const std::vector<std::string>& traces);

// Returns the owner of the trace that a ring names, or nullopt if unknown. May
// block on the trace's file system as long as answersInTime().
std::optional<uid_t> traceOwner(const RingFile& ring);

// Reads a ring. Returns nullopt if it is gone or still being created. An Error
// is one sentence with the reason why it is unusable.
std::optional<Result<RingReading>> readRing(const RingFile& ring);

// The chunks of a stream in its files, by position.
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

// Returns the chunks that the files lack, to be read after them. Returns "" if
// the files are complete.
// The chunks of a live process state that nothing else was recorded when its
// ring was read. Those of a dead process state that it was killed. An Error is
// one sentence: the ring is invalid, or the files are older than the ring.
Result<std::string> chunksBeyond(const RingReading& ring,
                                 const WrittenChunks& written);

}  // namespace traced
