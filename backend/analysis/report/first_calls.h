// FirstCalls finds the first operation of each group on one rank. Connecting to
// the other ranks often makes it slower than later ones.

#pragma once

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "analysis/stream/stream_table.h"

namespace traced {

class FirstCalls {
 public:
  // Leaves out a group whose first operation is not in the stream.
  explicit FirstCalls(const StreamTable& table);

  // Returns whether an operation is the first of its group, or in the coalesced
  // batch that is.
  bool holds(const AssembledOperation& op) const {
    if (op.id > last_ && op.batch == 0) return false;
    return operations_.contains(op.id) || batches_.contains(op.batch);
  }

 private:
  absl::flat_hash_set<std::uint64_t> operations_;
  absl::flat_hash_set<std::uint64_t> batches_;
  std::uint64_t last_ = 0;
};

}  // namespace traced
