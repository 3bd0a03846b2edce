// What the correlation ids of a stream's operations are made from.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/stream/stream_table.h"

namespace traced {

// The identity of each group of a stream, as one number. 0: the group has none,
// as a dump does not tell all that identifies it.
std::vector<std::uint64_t> groupHashes(const StreamTable& table);

}  // namespace traced
