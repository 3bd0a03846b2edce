// Copies of a segment file: of one that nobody writes to, and of one whose
// process may write to it while it is read.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ring_io/recovery/segment_content.h"

namespace traced {

// SegmentCopy is a copy of the first bytes of a file. What the file holds no
// data for takes no memory here either: anybody can make a file that seems
// large.
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

// Makes a copy of a segment whose process may write to it while it is read: of
// two readings of the same size, one after the other, of which the first is
// `content`, and from the head of the ring after the second. A slot is
// committed last, so what the first reading finds committed is whole in the
// second, unless its slots were claimed for something else by then. Afterwards
// the second has the counters of the first, and a slot that is not what it was
// in it is empty.
void settle(const SegmentContent& content, std::string_view first,
            std::span<char> second, std::uint64_t head_after);

}  // namespace traced
