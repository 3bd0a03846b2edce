// GroupStops finds when a group's pending operations were cut off in one
// stream: the program aborted the group, or its engine gave up.

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
  // `table` must outlive this object.
  explicit GroupStops(const StreamTable& table);

  // Adds an operation of the stream. The order of calls does not matter.
  void add(const AssembledOperation& op, const v1::Call& call);

  // Returns when an operation was cut off. Unknown if it was not, or if it was
  // issued later.
  Instant cutOff(const AssembledOperation& op, const v1::Call& call) const;

  // Returns all stops, with instants of the stream's clock. `group_indices`
  // maps the stream's groups to those of the catalog. `refTo` makes a reference
  // to an operation.
  std::vector<GroupStop> stops(
      const std::vector<std::uint32_t>& group_indices,
      const std::function<OperationRef(const AssembledOperation&)>& refTo)
      const;

 private:
  struct Stop {
    const Marks::Event* event = nullptr;
    std::uint64_t last_seq = 0;
    const AssembledOperation* last = nullptr;
  };
  // Returns the stop that cut off the operation, or nullptr.
  const Stop* stopOf(const AssembledOperation& op, const v1::Call& call) const;

  const StreamTable& table_;
  // Indexed by the stream's group. Empty if no group was cut off.
  std::vector<Stop> stops_;
};

}  // namespace traced
