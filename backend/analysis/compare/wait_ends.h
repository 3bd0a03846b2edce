// WaitEnds tells what a rank did before a call: from the end of its last wait
// on.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/stream/stream_table.h"

namespace traced {

class WaitEnds {
 public:
  explicit WaitEnds(const StreamTable& table);

  // From the last end of a wait to the issue of an operation, ns; absent where
  // nobody was seen to wait before.
  std::optional<std::uint64_t> untilIssue(const AssembledOperation& op) const;

 private:
  // In order.
  std::vector<std::int64_t> ends_ns_;
};

}  // namespace traced
