// MessagePairing finds which message a receive took if its own number does not
// show it. A receive from any source has no number and shifts those of later
// receives. With several tags in different orders, the numbers of both sides
// differ. An engine that ignores tags pairs by number alone. For an unknown
// engine such messages stay unpaired.

#pragma once

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analysis/match/loaded_run.h"

namespace traced {

class MessagePairing {
 public:
  explicit MessagePairing(const LoadedRun& run);

  // Returns whether the run may have receives whose own number does not
  // identify the message.
  static bool isNeeded(const LoadedRun& run);

  // Returns the sender's number of the message that a receive took, or 0 if
  // unknown. `stream` and `operation` are indices.
  std::uint64_t messageOf(std::uint32_t stream, std::uint32_t operation,
                          std::uint64_t own_number) const {
    const auto found = taken_.find({stream, operation});
    return found == taken_.end() ? own_number : found->second;
  }

 private:
  // Only for receives whose own number does not identify the message.
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>
      taken_;
};

}  // namespace traced
