// What is known of the collectives of a run, on the common time line: the
// earliest end that proves starts, and the latest start that ends prove.

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace traced {

// What makes the operations of several ranks one. `source` and `destination`
// are global ranks, kNoRank for a collective.
struct OperationKey {
  static constexpr std::uint32_t kNoRank = ~std::uint32_t{0};

  std::uint32_t group = 0;  // index into a GroupCatalog
  std::uint32_t source = kNoRank;
  std::uint32_t destination = kNoRank;
  std::uint64_t seq = 0;

  bool operator==(const OperationKey&) const = default;
  template <typename H>
  friend H AbslHashValue(H hash, const OperationKey& key) {
    return H::combine(std::move(hash), key.group, key.source, key.destination,
                      key.seq);
  }
};

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
    // Ranks called different things, or a call failed: proves nothing.
    bool unusable = false;
  };

  // The row of an operation, which every rank must call with one signature.
  std::uint32_t rowOf(const OperationKey& key, std::uint64_t signature) {
    const auto next = static_cast<std::uint32_t>(rows_.size());
    const auto [place, is_new] = index_.try_emplace(key, next);
    if (is_new) rows_.push_back({.signature = signature});
    Row& row = rows_[place->second];
    row.unusable |= row.signature != signature;
    return place->second;
  }

  Row& row(std::uint32_t index) { return rows_[index]; }
  const Row& row(std::uint32_t index) const { return rows_[index]; }

 private:
  std::vector<Row> rows_;
  absl::flat_hash_map<OperationKey, std::uint32_t> index_;
};

}  // namespace traced
