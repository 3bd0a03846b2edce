// SegmentCopy is a copy of the first bytes of a file. What the file holds no
// data for takes no memory here either: anybody can make a file that seems
// large.

#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace traced {

class SegmentCopy {
 public:
  SegmentCopy() = default;
  // Shorter when the file is, or when it cannot be read.
  SegmentCopy(int fd, std::size_t bytes);
  ~SegmentCopy();
  SegmentCopy(SegmentCopy&& other) noexcept;
  SegmentCopy& operator=(SegmentCopy&& other) noexcept;

  std::string_view bytes() const { return {memory_, bytes_}; }
  std::span<char> writable() { return {memory_, bytes_}; }

 private:
  // Copies the bytes [begin, end). False when there are fewer.
  bool copy(int fd, std::size_t begin, std::size_t end);

  char* memory_ = nullptr;
  std::size_t reserved_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace traced
