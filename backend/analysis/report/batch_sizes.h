// How much the coalesced batches of one stream moved: their members together.

#pragma once

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "analysis/stream/stream_table.h"

namespace traced {

struct BatchSize {
  // The sum of S (trace_io/message_size.h) of the members, and of S times their
  // bus factors.
  std::uint64_t message_bytes = 0;
  double bus_bytes = 0;
  // Every member has a bandwidth.
  bool has_bandwidth = true;
};

class BatchSizes {
 public:
  // Knows none of a stream that lost records: members may be among them.
  explicit BatchSizes(const StreamTable& table);

  // Of the operation that a batch ends with; nullptr for any other.
  const BatchSize* of(const StreamTable& table,
                      const AssembledOperation& op) const;

 private:
  absl::flat_hash_map<std::uint64_t, BatchSize> sizes_;
};

}  // namespace traced
