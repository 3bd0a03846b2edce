// StableHash is FNV-1a of 64 bits, over numbers: equal in every process, which
// absl's hashes are not. See the Internet draft "The FNV Non-Cryptographic Hash
// Algorithm" (draft-eastlake-fnv).

#pragma once

#include <cstdint>

namespace traced {

class StableHash {
 public:
  // The bytes of a number, the lowest first.
  void add(std::uint64_t number) {
    for (int i = 0; i < 8; ++i) {
      value_ = (value_ ^ ((number >> (8 * i)) & 0xff)) * kPrime;
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  static constexpr std::uint64_t kPrime = 0x100000001b3;

  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace traced
