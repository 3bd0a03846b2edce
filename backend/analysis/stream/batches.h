// Batches finds the coalesced batches of one stream: calls that are executed
// together and end together. See docs/reference/format.md, "Rows".

#pragma once

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "analysis/stream/stream_table.h"

namespace traced {

struct Batch {
  // The operation that ends the batch. nullptr if the batch was never closed or
  // that record was lost.
  const AssembledOperation* end = nullptr;
  // The first member that is a collective; may be nullptr.
  const AssembledOperation* first_collective = nullptr;
  std::uint32_t members = 0;
};

// The stream must outlive this object.
class Batches {
 public:
  explicit Batches(const StreamTable& table);

  // Returns the batch of which `op` is a member or the end, or nullptr if it
  // belongs to none.
  const Batch* of(const AssembledOperation& op) const;
  // Returns whether `op` is a member of a closed batch, and so ends with it.
  bool hasMember(const AssembledOperation& op) const;

 private:
  absl::flat_hash_map<std::uint64_t, Batch> batches_;
};

}  // namespace traced
