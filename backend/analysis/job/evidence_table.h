// What is known of the collectives of a run, on the common time line: the
// earliest end that proves starts, and the latest start that ends prove.

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "analysis/job/operation_index.h"

namespace traced {

class EvidenceTable {
 public:
  static constexpr std::int64_t kNever =
      std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kAlways =
      std::numeric_limits<std::int64_t>::min();

  struct Row {
    std::uint64_t signature = 0;
    // Common time: the earliest end was not after this, the latest start not
    // before that.
    std::int64_t end_before_ns = kNever;
    std::int64_t start_after_ns = kAlways;
    // For whoever adds parts of it: where the latest one is.
    std::uint32_t part = 0;
    // Ranks called different things, or a call failed: proves nothing.
    bool unusable = false;
  };

  // The row of an operation, which every rank must call with one signature.
  std::uint32_t rowOf(const OperationKey& key, std::uint64_t seq,
                      std::uint64_t signature) {
    const auto next = static_cast<std::uint32_t>(rows_.size());
    const std::uint32_t index = index_.at(key, seq, next);
    if (index == next) rows_.push_back({.signature = signature});
    Row& row = rows_[index];
    row.unusable |= row.signature != signature;
    return index;
  }

  Row& row(std::uint32_t index) { return rows_[index]; }
  const Row& row(std::uint32_t index) const { return rows_[index]; }

 private:
  std::vector<Row> rows_;
  OperationIndex index_;
};

}  // namespace traced
