// WaitEnds computes how long a rank computed before a call: from the end of its
// last wait, without the time spent in its own calls.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/stream/stream_table.h"

namespace traced {

class WaitEnds {
 public:
  explicit WaitEnds(const StreamTable& table);

  // Returns the time in ns from the last end of a wait to the issue of `op`,
  // without the rank's own calls. Returns nullopt if no earlier wait was
  // recorded.
  std::optional<std::uint64_t> untilIssue(const AssembledOperation& op) const;

 private:
  // Returns the total duration, in ns, of the own calls issued before an
  // instant.
  std::uint64_t calledBefore(std::int64_t ns) const;

  // Ends of waits, sorted.
  std::vector<std::int64_t> ends_ns_;
  struct OwnCall {
    std::int64_t issue_ns = 0;
    // Duration of this call and all before it.
    std::uint64_t total_ns = 0;
  };
  std::vector<OwnCall> calls_;
};

}  // namespace traced
