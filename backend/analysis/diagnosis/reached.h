// How far an operation got, and whether anybody could have seen its end.

#pragma once

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/collective_table.h"
#include "analysis/diagnosis/device_telling.h"
#include "analysis/stream_table.h"

namespace traced {

// Of the operations of one stream, which outlives it.
class ReachedRule {
 public:
  // `whole`: no record of the stream was lost.
  ReachedRule(const StreamTable& table, bool whole);

  Reached reached(const AssembledOperation& op, const v1::Call& call) const;

 private:
  // What a thread did last.
  struct Thread {
    std::int64_t last_issue_ns = 0;
    std::int64_t last_wait_end_ns = 0;
  };

  Reached reachedByBatch(std::uint64_t batch) const;
  bool mayBeWaitedFor(const AssembledOperation& op) const;

  const StreamTable& table_;
  const bool whole_;
  absl::flat_hash_map<std::uint32_t, Thread> threads_;
  const DeviceTelling device_;
  // The operation that each batch ends with.
  absl::flat_hash_map<std::uint64_t, const AssembledOperation*> batches_;
};

}  // namespace traced
