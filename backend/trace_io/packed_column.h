// PackedColumn reads a column of rows from the bytes in which it is stored, one
// entry after the other.

#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace traced {

// How many varints the bytes hold; -1 unless they are varints from end to end.
int countVarints(std::string_view bytes);

// Of signed entries, which are sint64, or of unsigned ones.
template <typename T>
class PackedColumn {
 public:
  // False, and empty, when these bytes are no column. They must stay.
  bool assign(std::string_view bytes) {
    const int count = countVarints(bytes);
    next_ = bytes.data();
    size_ = count < 0 ? 0 : count;
    return count >= 0;
  }

  bool empty() const { return size_ == 0; }
  int size() const { return size_; }

  // The first entry, then the second: at most size() times.
  T next() {
    const std::uint64_t value = nextVarint();
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>((value >> 1) ^ (0 - (value & 1)));
    } else {
      return static_cast<T>(value);
    }
  }

 private:
  std::uint64_t nextVarint() {
    std::uint64_t value = byte();
    if (value < 0x80) return value;
    value &= 0x7F;
    for (int shift = 7;; shift += 7) {
      const std::uint64_t more = byte();
      value |= (more & 0x7F) << shift;
      if (more < 0x80) return value;
    }
  }
  std::uint64_t byte() { return static_cast<std::uint8_t>(*next_++); }

  const char* next_ = nullptr;
  int size_ = 0;
};

}  // namespace traced
