// SegmentContent is a checked copy of a segment file. The file is not trusted:
// every number in it may be anything.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// No recorder makes a larger file: 1 GiB of slots (TRACED_RING_MB), and far
// more than what describes them.
inline constexpr std::uint64_t kMaxSegmentBytes = std::uint64_t{1088} << 20;

struct SegmentContent {
  v1::Header header;
  // Part 0 of the trace; "" when that is too long a path.
  std::string trace_path;
  // Where in the file the ring's memory is, and its size in slots.
  std::uint64_t ring_offset = 0;
  std::uint64_t slots = 0;
};

// Looks into the whole bytes of a segment file. The error is one sentence.
Result<SegmentContent> parseSegment(std::string_view file);
// The same of its first bytes, all before its ring.
Result<SegmentContent> parseSegmentHead(std::string_view first,
                                        std::uint64_t file_bytes);

// Whether these are the whole bytes of a segment that its process had not
// finished making: it says whose it is, and holds no record.
bool wasNeverUsed(std::string_view file);

// How much there is to be read of a file of `file_bytes`, by its first bytes:
// of what is no segment, or none that a recorder makes, only the beginning.
std::uint64_t bytesToRead(std::string_view first, std::uint64_t file_bytes);
// Of the first bytes of a segment file: whether its process is done with making
// it, and of which stream it is; 0 when they do not say.
bool isNamed(std::string_view file);
std::uint64_t streamIdOf(std::string_view file);

// Of which stream a segment file is by its name; 0 when it is no such name.
std::uint64_t streamIdIn(std::string_view name);

// The part 0 named in the first bytes of a segment file; "" when they are none,
// or it is not named yet.
std::string tracePathIn(std::string_view file);

}  // namespace traced
