// The accounts of a stream, from counters: produced = stored + all drops.

#pragma once

#include <cstdint>

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
};

// Sets the counters of `accounts` and leaves the rest.
void setCounters(v1::Accounts& accounts, const RecordCounters& counters);

// The inverse.
RecordCounters countersOf(const v1::Accounts& accounts);

}  // namespace traced
