// Computes the accounts of a stream from counters: produced = stored + all
// drops.

#pragma once

#include <cstdint>
#include <vector>

#include "ring_io/ring/thread_drops.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Counts the records since the start of a stream.
struct RecordCounters {
  // Includes records in parts that were deleted since.
  std::uint64_t written = 0;
  std::uint64_t deleted = 0;
  // Records that were dropped, by reason.
  std::uint64_t ring_full = 0;
  std::uint64_t issue_lost = 0;
  std::uint64_t write_failed = 0;
  // Splits ring_full and issue_lost by thread.
  std::vector<ThreadDropCount> thread_drops;

  // Replaces the drops before the ring: thread_drops, ring_full and issue_lost.
  void setRingDrops(std::vector<ThreadDropCount> drops);
};

// Sets the counters of `accounts` and leaves its other fields unchanged.
void setCounters(v1::Accounts& accounts, const RecordCounters& counters);

// Reads the counters back from `accounts`.
RecordCounters countersOf(const v1::Accounts& accounts);

}  // namespace traced
