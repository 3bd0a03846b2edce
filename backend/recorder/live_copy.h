// A copy of a segment whose process may write to it while it is read.

#pragma once

#include <cstdint>
#include <string>

#include "recorder/segment_content.h"

namespace traced {

// From two readings, one after the other, of which the first is `content`, and
// from the head of the ring after the second. A slot is committed last, so what
// the first reading finds committed is whole in the second, unless its slots
// were claimed for something else by then. The counters are those of the first
// reading, and a slot that is not what it was in it is empty.
std::string settled(const SegmentContent& content, const std::string& first,
                    std::string second, std::uint64_t head_after);

}  // namespace traced
