// SegmentContent is a validated copy of a segment file. The file is not
// trusted: its numbers may have any value.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Upper bound of a recorder's file: 1 GiB of slots (TRACED_RING_MB), and ample
// space for the rest.
inline constexpr std::uint64_t kMaxSegmentBytes = std::uint64_t{1088} << 20;

struct SegmentContent {
  v1::Header header;
  // Part 0 of the trace; "" if its path was too long.
  std::string trace_path;
  // Offset of the ring's memory in the file, and its size in slots.
  std::uint64_t ring_offset = 0;
  std::uint64_t slots = 0;
};

// Parses the whole bytes of a segment file. The error is one sentence.
Result<SegmentContent> parseSegment(std::string_view file);
// Does the same with only the bytes before the ring.
Result<SegmentContent> parseSegmentHead(std::string_view first,
                                        std::uint64_t file_bytes);

// Returns whether `file` holds the whole bytes of a segment whose creation was
// not finished. Such a segment names its process but holds no record.
bool isUnfinished(std::string_view file);

// Returns how many bytes of a file to read, given its first bytes. For files
// that no recorder makes, that is only the beginning.
std::uint64_t bytesToRead(std::string_view first, std::uint64_t file_bytes);
// Read the first bytes of a segment file. isNamed() returns whether its
// creation is finished. streamIdOf() returns its stream id, or 0 if unknown.
bool isNamed(std::string_view file);
std::uint64_t streamIdOf(std::string_view file);

// Returns the stream id in a segment's file name, or 0 if it is no such name.
std::uint64_t streamIdIn(std::string_view name);

// Returns the path of part 0 in the first bytes of a segment file. Returns ""
// if they are invalid or the path is not set yet.
std::string tracePathIn(std::string_view file);

}  // namespace traced
