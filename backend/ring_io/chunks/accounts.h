// The accounts of a stream, from counters: produced = stored + all drops.

#pragma once

#include <cstdint>
#include <vector>

#include "ring_io/ring/thread_drops.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Records since the start of a stream.
struct RecordCounters {
  // Written, also those in parts that were deleted since.
  std::uint64_t written = 0;
  std::uint64_t deleted = 0;
  // Drops.
  std::uint64_t ring_full = 0;
  std::uint64_t issue_lost = 0;
  std::uint64_t write_failed = 0;
  // Of which thread those of the ring are.
  std::vector<ThreadDropCount> thread_drops;

  // Takes over what did not get into the ring.
  void setRingDrops(std::vector<ThreadDropCount> drops);
};

// Sets the counters of `accounts` and leaves the rest.
void setCounters(v1::Accounts& accounts, const RecordCounters& counters);

// The inverse.
RecordCounters countersOf(const v1::Accounts& accounts);

}  // namespace traced
