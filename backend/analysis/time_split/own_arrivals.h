// OwnArrivals is what one stream tells an ArrivalTable, on its own clock: what
// is kept of it until that is aligned.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "analysis/job/matched_calls.h"
#include "analysis/job/ready_times.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// Memory: 32 bytes per operation.
class OwnArrivals {
 public:
  // `groups`: of the stream's groups, their indices in the job's catalog.
  OwnArrivals(const StreamTable& table, absl::Span<const std::uint32_t> groups);
  // Of the first operations of the stream, as many as `ready` has.
  OwnArrivals(const StreamTable& table, const MatchedCalls& calls,
              absl::Span<const ReadyTime> ready);

  // An operation that has a MatchedCall, and when the rank was ready for it.
  struct Part {
    std::uint64_t seq = 0;
    Instant at;
    Instant earliest;
    std::uint32_t call = 0;
    bool failed = false;
  };
  const std::vector<Part>& parts() const { return parts_; }
  // By the calls of the parts.
  const std::vector<MatchedCall>& calls() const { return calls_.all(); }
  std::uint32_t rank() const { return rank_; }
  std::size_t bytes() const {
    return sizeof(*this) + parts_.size() * sizeof(Part) +
           calls().size() * sizeof(MatchedCall);
  }

 private:
  std::uint32_t rank_;
  MatchedCalls calls_;
  std::vector<Part> parts_;
};

}  // namespace traced
