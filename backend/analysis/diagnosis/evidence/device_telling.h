// DeviceTelling knows of which operations on a device ends are told, though the
// host waits for none of them: so that one without an end stands still.
//
// Which are is read off the stream (base/reported_ends.h). Of an engine that is
// not known the waits tell, of calls that wait at once: whether it gives out
// something to wait for is read off the stream, too, by group and operation.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/stream/stream_table.h"
#include "base/reported_ends.h"

namespace traced {

class DeviceTelling {
 public:
  // The table outlives it.
  explicit DeviceTelling(const StreamTable& table);

  // Whether it is carried out when it is called, and comes to an end of its
  // own: it is not put into a graph, nor a member of a batch.
  static bool hasEnd(const AssembledOperation& op, const v1::Call& call);

  // Of an operation that returned and has no end: whether that it has none says
  // that it has not ended.
  bool standsStill(const AssembledOperation& op, const v1::Call& call);

 private:
  // What is known of the operations of one manner, in order.
  struct Told {
    ReportedEnds ends;
    std::uint64_t last_ended = 0;
    std::uint32_t since = 0;  // without an end, since then

    void ended(std::uint64_t op, bool by_itself);
  };

  // Of calls of which only their own waits may tell; nullptr: others do.
  Told* byWaits(std::uint32_t group, const v1::Call& call);

  const StreamTable& table_;
  // By group.
  std::vector<std::array<Told, kCallManners>> told_;
  std::map<std::pair<std::uint32_t, v1::Operation>, Told> told_by_waits_;
};

}  // namespace traced
