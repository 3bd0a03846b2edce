// PackedColumn reads the entries of a column from its serialized bytes, one
// after the other.

#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace traced {

// Returns the number of varints in `bytes`, or -1 if `bytes` is not a sequence
// of complete varints.
int countVarints(std::string_view bytes);

// Returns whether all entries are sint64 above 0 with a sum far below 2^63.
// `varints` must consist of complete varints.
bool allPositive(std::string_view varints);

// Returns the varint at `at` and advances `at` past it. Does not check bounds.
// This function and its callers are always inlined, so that the pointer stays
// in a register.
[[gnu::always_inline]] inline std::uint64_t takeVarint(const char*& at) {
  const auto byte = [&at] {
    return std::uint64_t{static_cast<std::uint8_t>(*at++)};
  };
  std::uint64_t value = byte();
  if (value < 0x80) return value;
  value &= 0x7F;
  for (int shift = 7;; shift += 7) {
    const std::uint64_t more = byte();
    value |= (more & 0x7F) << shift;
    if (more < 0x80) return value;
  }
}

inline std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (0 - (value & 1)));
}

// Reads entries of type T: sint64 if T is signed, otherwise unsigned. Does not
// own the bytes.
template <typename T>
class PackedColumn {
 public:
  // Sets the column to `bytes`, which must outlive it. Returns false and
  // becomes empty if `bytes` is not a sequence of varints.
  bool assign(std::string_view bytes) {
    const int count = countVarints(bytes);
    bytes_ = count < 0 ? std::string_view() : bytes;
    next_ = bytes_.data();
    size_ = count < 0 ? 0 : count;
    return count >= 0;
  }
  // Returns the bytes of all entries, including those already read.
  std::string_view bytes() const { return bytes_; }

  bool empty() const { return size_ == 0; }
  int size() const { return size_; }

  // Returns the next entry. May be called at most size() times.
  [[gnu::always_inline]] T next() {
    const std::uint64_t value = takeVarint(next_);
    if constexpr (std::is_signed_v<T>) {
      return unzigzag(value);
    } else {
      return static_cast<T>(value);
    }
  }

 private:
  std::string_view bytes_;
  const char* next_ = nullptr;
  int size_ = 0;
};

}  // namespace traced
