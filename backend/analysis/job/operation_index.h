// OperationIndex numbers the operations of a job. Operations of a group, or of
// a pair of ranks in it, are mostly consecutive. They are therefore indexed by
// position, not by a hash of each.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analysis/job/seq_table.h"

namespace traced {

// The identity of an operation across ranks, together with its sequence number.
// `source` and `destination` are global ranks, or kNoRank for a collective.
struct OperationKey {
  static constexpr std::uint32_t kNoRank = ~std::uint32_t{0};

  std::uint32_t group = 0;  // index into a GroupCatalog
  std::uint32_t source = kNoRank;
  std::uint32_t destination = kNoRank;

  bool isMessage() const { return source != kNoRank; }
  bool operator==(const OperationKey&) const = default;
  template <typename H>
  friend H AbslHashValue(H hash, const OperationKey& key) {
    return H::combine(std::move(hash), key.group, key.source, key.destination);
  }
};

// Not thread safe. Const methods may run concurrently.
class OperationIndex {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Numbers of the operations of one key, plus 1. 0 for an operation without
  // one. The address is stable.
  using Numbers = SeqTable<std::uint32_t>;

  // Returns the number of an operation. Assigns `next` if it has none yet.
  std::uint32_t at(const OperationKey& key, std::uint64_t seq,
                   std::uint32_t next) {
    Recent& recent = recentOf(key);
    if (!recent.numbers || recent.key != key) recent = {key, &numbersOf(key)};
    return at(*recent.numbers, seq, next);
  }
  // Like at() above, with the numbers of a known key.
  static std::uint32_t at(Numbers& numbers, std::uint64_t seq,
                          std::uint32_t next) {
    std::uint32_t& plus_1 = numbers.at(seq);
    if (plus_1 == 0) plus_1 = next + 1;
    return plus_1 - 1;
  }

  // Returns kNone if the operation has no number.
  std::uint32_t find(const OperationKey& key, std::uint64_t seq) const {
    return find(knownNumbersOf(key), seq);
  }
  static std::uint32_t find(const Numbers* numbers, std::uint64_t seq) {
    const std::uint32_t* plus_1 = numbers ? numbers->find(seq) : nullptr;
    return plus_1 ? *plus_1 - 1 : kNone;
  }

  // Returns the numbers of a key. Creates them if they do not exist.
  Numbers& numbersOf(const OperationKey& key) {
    std::unique_ptr<Numbers>& numbers = numbers_[key];
    if (!numbers) numbers = std::make_unique<Numbers>();
    return *numbers;
  }
  // Returns nullptr if the key has no numbers.
  const Numbers* knownNumbersOf(const OperationKey& key) const {
    const auto found = numbers_.find(key);
    return found == numbers_.end() ? nullptr : found->second.get();
  }

 private:
  // Cache of recent keys, to avoid hashing: a rank's operations have few keys.
  struct Recent {
    OperationKey key;
    Numbers* numbers = nullptr;
  };
  Recent& recentOf(const OperationKey& key) {
    const std::uint32_t mixed = key.group + key.source + 5 * key.destination;
    return recent_[mixed % recent_.size()];
  }

  absl::flat_hash_map<OperationKey, std::unique_ptr<Numbers>> numbers_;
  std::array<Recent, 64> recent_;
};

}  // namespace traced
