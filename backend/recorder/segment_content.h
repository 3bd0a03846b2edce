// SegmentContent is a checked copy of a segment file. The file is not trusted:
// every number in it may be anything.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "traced/v1/trace.pb.h"

namespace traced {

struct SegmentContent {
  v1::Header header;
  // Part 0 of the trace.
  std::string trace_path;
  // Where in the file the ring's memory is, and its size in slots.
  std::uint64_t ring_offset = 0;
  std::uint64_t slots = 0;
};

// Looks into the whole bytes of a segment file. The error is one sentence.
Result<SegmentContent> parseSegment(std::string_view file);

// Whether these are the whole bytes of a segment that its process had not
// finished making: it holds no record.
bool wasNeverUsed(std::string_view file);

// The part 0 named in the first bytes of a segment file; "" when they are none,
// or it is not named yet.
std::string tracePathIn(std::string_view file);

}  // namespace traced
