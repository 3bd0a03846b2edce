// What a digest has of waits that were not seen.

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "analysis/digest/digest_row.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// For each of unseenWays() the bound of each of its cells, one behind the
// other. `row_of`: the row that an operation of the stream is in, by index.
std::vector<std::uint64_t> unseenByRow(
    const StreamTable& table, absl::Span<const DigestRow> rows,
    const std::function<std::size_t(const AssembledOperation&)>& row_of);

}  // namespace traced
