// How far an operation got, and whether anybody could have seen its end.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/evidence/collective_table.h"
#include "analysis/diagnosis/evidence/device_telling.h"
#include "analysis/stream/stream_table.h"

namespace traced {

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
  void lookOver();
  Reached notEnded(const AssembledOperation& op);
  Reached reachedByBatch(std::uint64_t batch);
  bool mayBeWaitedFor(const AssembledOperation& op) const;

  const StreamTable& table_;
  const bool whole_;
  // What of all operations must be known to judge one that has not ended.
  bool looked_over_ = false;
  absl::flat_hash_map<std::uint32_t, Thread> threads_;
  // Made for the first operation on a device that has not ended.
  std::optional<DeviceTelling> device_;
  // The operation that each batch ends with.
  absl::flat_hash_map<std::uint64_t, const AssembledOperation*> batches_;
};

}  // namespace traced
