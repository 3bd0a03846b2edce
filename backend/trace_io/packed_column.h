// PackedColumn reads a column of rows from the bytes in which it is stored, one
// entry after the other.

#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace traced {

// How many varints the bytes hold; -1 unless they are varints from end to end.
int countVarints(std::string_view bytes);

// Of bytes that are varints: whether all of these sint64 are above 0, with a
// sum that is far below 2^63.
bool allPositive(std::string_view varints);

// Steps over a varint, and tells its value. Always inlined, as is what calls
// it: a place whose address is given away cannot stay in a register.
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

// Of signed entries, which are sint64, or of unsigned ones.
template <typename T>
class PackedColumn {
 public:
  // False, and empty, when these bytes are no column. They must stay.
  bool assign(std::string_view bytes) {
    const int count = countVarints(bytes);
    bytes_ = count < 0 ? std::string_view() : bytes;
    next_ = bytes_.data();
    size_ = count < 0 ? 0 : count;
    return count >= 0;
  }
  // Of all entries.
  std::string_view bytes() const { return bytes_; }

  bool empty() const { return size_ == 0; }
  int size() const { return size_; }

  // The first entry, then the second: at most size() times.
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
