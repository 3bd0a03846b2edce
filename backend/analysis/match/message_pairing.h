// Which message a receive took, where its own number does not tell: a receive
// from any source has none, and moves those of the ones after it; and where the
// two sides use several tags in different orders, the numbers of one side are
// not those of the other. An engine that ignores tags pairs by number alone; of
// an unknown one nothing is said there.

#pragma once

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analysis/match/loaded_run.h"

namespace traced {

class MessagePairing {
 public:
  explicit MessagePairing(const LoadedRun& run);

  // Whether there may be receives whose own number does not tell.
  static bool isNeeded(const LoadedRun& run);

  // The number, as the sender counts, of the message that a receive took, or 0
  // where it cannot be told. Streams and operations by index.
  std::uint64_t messageOf(std::uint32_t stream, std::uint32_t operation,
                          std::uint64_t own_number) const {
    const auto found = taken_.find({stream, operation});
    return found == taken_.end() ? own_number : found->second;
  }

 private:
  // Where numbers do not tell.
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>
      taken_;
};

}  // namespace traced
