// What files of `tracectl digest` have beside chunks of traces.

#pragma once

#include <optional>
#include <vector>

#include "analysis/reading/trace_set.h"

namespace traced {

// What digests name a look by: XXH3 of it as it is written, and of the ids of
// its streams, ascending. Looks of other streams may say the same.
std::uint64_t hashOf(const v1::DigestLook& look,
                     std::vector<std::uint64_t> stream_ids);

// Each is kept once, sorted by its hash.
void addLook(const DigestLookRef& look, std::vector<DigestLookRef>& looks);

// Of two digests of one stream the one stays that was made beside more other
// streams, then the one of more positions. Which is met first does not matter.
void keepBetter(const DigestRef& other, std::optional<DigestRef>& digest);

// Of a stream that was digested leaves the latest chunks, those that follow
// each other without a gap, unless all of it is there.
void keepDigested(TraceStream& stream);

}  // namespace traced
