// IdIndex tells where in a list each id of a stream is. Recorders count their
// ids from 1, so those that are small are looked up without hashing.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace traced {

class IdIndex {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // kNone for an id that is not there.
  std::uint32_t find(std::uint32_t id) const {
    return id < small_.size() ? small_[id] : findLarge(id);
  }

  // Replaces what the id had.
  void set(std::uint32_t id, std::uint32_t index) {
    if (id >= kSmall) {
      large_[id] = index;
      return;
    }
    if (id >= small_.size()) small_.resize(id + 1, kNone);
    small_[id] = index;
  }

  void clear() {
    small_.clear();
    large_.clear();
  }

 private:
  // What clearing and filling costs is bounded, whatever ids a file has.
  static constexpr std::uint32_t kSmall = 1024;

  // Apart, so that what is mostly done is small enough to be inlined.
  [[gnu::noinline]] std::uint32_t findLarge(std::uint32_t id) const {
    const auto found = large_.find(id);
    return found == large_.end() ? kNone : found->second;
  }

  std::vector<std::uint32_t> small_;
  absl::flat_hash_map<std::uint32_t, std::uint32_t> large_;
};

}  // namespace traced
