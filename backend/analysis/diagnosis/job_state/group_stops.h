// GroupStops finds in one stream when what was under way in a group was cut
// off: the group was aborted, or its engine gave up.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/diagnosis/job_state/rank_state.h"
#include "analysis/stream/stream_table.h"

namespace traced {

class GroupStops {
 public:
  // The table outlives it.
  explicit GroupStops(const StreamTable& table);

  // An operation of the stream, in any order.
  void add(const AssembledOperation& op, const v1::Call& call);

  // When an operation was cut off, if it was issued before that.
  Instant cutOff(const AssembledOperation& op, const v1::Call& call) const;

  // All, with group numbers of the catalog and instants of the stream's clock.
  // `refTo` makes a reference to an operation.
  std::vector<GroupStop> tell(
      const std::vector<std::uint32_t>& group_indices,
      const std::function<OperationRef(const AssembledOperation&)>& refTo)
      const;

 private:
  struct Stop {
    const Marks::Event* event = nullptr;
    std::uint64_t last_seq = 0;
    const AssembledOperation* last = nullptr;
  };
  const Stop* stopOf(const AssembledOperation& op, const v1::Call& call) const;

  const StreamTable& table_;
  // By group of the stream; empty where none was cut off.
  std::vector<Stop> stops_;
};

}  // namespace traced
