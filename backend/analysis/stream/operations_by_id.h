// Finds operations of a stream by their ids.

#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "analysis/stream/stream_table.h"

namespace traced {

class OperationsById {
 public:
  // `table` must outlive this object and keep its operations.
  explicit OperationsById(const StreamTable& table) : table_(table) {
    by_id_.reserve(table.operations.size());
    for (std::size_t i = 0; i < table.operations.size(); ++i) {
      by_id_.emplace(table.operations[i].id, i);
    }
  }

  // Returns nullptr if the stream has no such operation.
  const AssembledOperation* find(std::uint64_t id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : &table_.operations[found->second];
  }

 private:
  const StreamTable& table_;
  absl::flat_hash_map<std::uint64_t, std::size_t> by_id_;
};

}  // namespace traced
