// Batches are the coalesced batches of one stream: calls that are carried out,
// and end, as a whole. See docs/reference/format.md, "Rows".

#pragma once

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "analysis/stream/stream_table.h"

namespace traced {

struct Batch {
  // The operation that it ends with; nullptr when the batch was never closed,
  // or that record was lost.
  const AssembledOperation* end = nullptr;
  // The first of its members that is a collective.
  const AssembledOperation* first_collective = nullptr;
  std::uint32_t members = 0;
};

// Of a stream, which outlives it.
class Batches {
 public:
  explicit Batches(const StreamTable& table);

  // The batch of an operation, whether it is a member or the end of it;
  // nullptr for one that stands alone.
  const Batch* of(const AssembledOperation& op) const;
  // Whether an operation is carried out with others.
  bool hasMember(const AssembledOperation& op) const;

 private:
  absl::flat_hash_map<std::uint64_t, Batch> batches_;
};

}  // namespace traced
