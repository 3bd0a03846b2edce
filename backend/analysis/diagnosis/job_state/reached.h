// How far an operation got, and whether its end could have been observed.

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

// DeviceEndCoverage determines for which operations on a device ends are
// reported, although no host thread waits for them. Such an operation without
// an end is stuck.
//
// The stream shows which operations these are (base/reported_ends.h). For an
// unknown engine, the waits of blocking calls serve instead. Whether it
// provides anything to wait for is also determined from the stream, by group
// and operation.
class DeviceEndCoverage {
 public:
  // `table` must outlive this object.
  explicit DeviceEndCoverage(const StreamTable& table);

  // Returns whether the operation runs when called and has its own end: it is
  // neither captured in a graph nor a member of a batch.
  static bool hasEnd(const AssembledOperation& op, const v1::Call& call);

  // Takes an operation that returned and has no end. Returns whether the
  // missing end proves that it has not ended.
  bool isStuck(const AssembledOperation& op, const v1::Call& call);

 private:
  // Reported ends of the operations of one call mode, in order.
  struct Coverage {
    ReportedEnds ends;
    std::uint64_t last_ended = 0;
    std::uint32_t since = 0;  // number without an end since `last_ended`

    void ended(std::uint64_t op, bool by_itself);
  };

  // Returns the coverage by waits for a blocking call of an unknown engine, and
  // creates it if needed. Returns nullptr for any other call.
  Coverage* byWaits(std::uint32_t group, const v1::Call& call);

  const StreamTable& table_;
  // Indexed by the stream's group.
  std::vector<std::array<Coverage, kCallModes>> coverage_;
  std::map<std::pair<std::uint32_t, v1::Operation>, Coverage>
      coverage_by_waits_;
};

// Determines how far the operations of one stream got. The stream must outlive
// this object.
class ReachedRule {
 public:
  // `whole`: no record of the stream was lost.
  ReachedRule(const StreamTable& table, bool whole);

  // Returns how far an operation of the stream got.
  Reached reached(const AssembledOperation& op) {
    if (op.failed) return Reached::kFailed;
    return op.ended.known() ? Reached::kEnded : notEnded(op);
  }

 private:
  // The last actions of a thread.
  struct Thread {
    std::int64_t wait_end_ns = 0;
    // The last operation that blocks the thread until its end, and that has not
    // ended.
    const AssembledOperation* held_by = nullptr;
  };

  bool holdsItsThread(const AssembledOperation& op) const;
  // Fills `threads_` and `batches_` from all operations.
  void scan();
  // Returns how far an operation without an end got.
  Reached notEnded(const AssembledOperation& op);
  Reached reachedByBatch(std::uint64_t batch);
  bool mayBeWaitedFor(const AssembledOperation& op) const;

  const StreamTable& table_;
  const bool whole_;
  // Whether scan() has filled `threads_` and `batches_`. Needed to judge an
  // operation that has not ended.
  bool scanned_ = false;
  absl::flat_hash_map<std::uint32_t, Thread> threads_;
  // Created for the first operation on a device that has not ended.
  std::optional<DeviceEndCoverage> device_;
  // The closing operation of each batch.
  absl::flat_hash_map<std::uint64_t, const AssembledOperation*> batches_;
};

}  // namespace traced
