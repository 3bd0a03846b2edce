// A copy of a segment whose process may write to it while it is read.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ring_io/recovery/segment_content.h"

namespace traced {

// Of two readings of the same size, one after the other, of which the first is
// `content`, and from the head of the ring after the second. A slot is
// committed last, so what the first reading finds committed is whole in the
// second, unless its slots were claimed for something else by then. Afterwards
// the second has the counters of the first, and a slot that is not what it was
// in it is empty.
void settle(const SegmentContent& content, std::string_view first,
            std::span<char> second, std::uint64_t head_after);

}  // namespace traced
