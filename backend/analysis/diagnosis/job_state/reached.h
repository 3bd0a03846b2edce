// How far an operation got, and whether anybody could have seen its end.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/job_state/collective_table.h"
#include "analysis/stream/stream_table.h"
#include "base/reported_ends.h"

namespace traced {

// DeviceEndCoverage knows of which operations on a device ends are told, though
// the host waits for none of them: so that one without an end stands still.
//
// Which are is read off the stream (base/reported_ends.h). Of an engine that is
// not known the waits tell, of calls that wait at once: whether it gives out
// something to wait for is read off the stream, too, by group and operation.
class DeviceEndCoverage {
 public:
  // The table outlives it.
  explicit DeviceEndCoverage(const StreamTable& table);

  // Whether it is carried out when it is called, and comes to an end of its
  // own: it is not put into a graph, nor a member of a batch.
  static bool hasEnd(const AssembledOperation& op, const v1::Call& call);

  // Of an operation that returned and has no end: whether that it has none says
  // that it has not ended.
  bool standsStill(const AssembledOperation& op, const v1::Call& call);

 private:
  // What is known of the operations of one manner, in order.
  struct Coverage {
    ReportedEnds ends;
    std::uint64_t last_ended = 0;
    std::uint32_t since = 0;  // without an end, since then

    void ended(std::uint64_t op, bool by_itself);
  };

  // Of calls of which only their own waits may tell; nullptr: others do.
  Coverage* byWaits(std::uint32_t group, const v1::Call& call);

  const StreamTable& table_;
  // By group.
  std::vector<std::array<Coverage, kCallModes>> coverage_;
  std::map<std::pair<std::uint32_t, v1::Operation>, Coverage>
      coverage_by_waits_;
};

// Of the operations of one stream, which outlives it.
class ReachedRule {
 public:
  // `whole`: no record of the stream was lost.
  ReachedRule(const StreamTable& table, bool whole);

  Reached reached(const AssembledOperation& op) {
    if (op.failed) return Reached::kFailed;
    return op.ended.known() ? Reached::kEnded : notEnded(op);
  }

 private:
  // What a thread did last.
  struct Thread {
    std::int64_t wait_end_ns = 0;
    // The last operation that holds it up to its end, which did not come.
    const AssembledOperation* held_by = nullptr;
  };

  bool holdsItsThread(const AssembledOperation& op) const;
  void scan();
  Reached notEnded(const AssembledOperation& op);
  Reached reachedByBatch(std::uint64_t batch);
  bool mayBeWaitedFor(const AssembledOperation& op) const;

  const StreamTable& table_;
  const bool whole_;
  // What of all operations must be known to judge one that has not ended.
  bool scanned_ = false;
  absl::flat_hash_map<std::uint32_t, Thread> threads_;
  // Made for the first operation on a device that has not ended.
  std::optional<DeviceEndCoverage> device_;
  // The operation that each batch ends with.
  absl::flat_hash_map<std::uint64_t, const AssembledOperation*> batches_;
};

}  // namespace traced
