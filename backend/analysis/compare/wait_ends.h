// WaitEnds tells how long a rank computed before a call: from the end of its
// last wait on, less what its own calls took meanwhile.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/stream/stream_table.h"

namespace traced {

class WaitEnds {
 public:
  explicit WaitEnds(const StreamTable& table);

  // From the last end of a wait to the issue of an operation, without its own
  // calls, ns; absent where nobody was seen to wait before.
  std::optional<std::uint64_t> untilIssue(const AssembledOperation& op) const;

 private:
  // What all own calls that were issued before an instant took.
  std::uint64_t calledBefore(std::int64_t ns) const;

  // In order.
  std::vector<std::int64_t> ends_ns_;
  struct OwnCall {
    std::int64_t issue_ns = 0;
    // With all before it.
    std::uint64_t total_ns = 0;
  };
  std::vector<OwnCall> calls_;
};

}  // namespace traced
