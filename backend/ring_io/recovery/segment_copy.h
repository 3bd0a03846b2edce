// Copies segment files, including those that a live process still writes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ring_io/recovery/segment_content.h"

namespace traced {

// SegmentCopy holds the first bytes of a file. Holes of the file take no
// memory, because any user can create a large sparse file.
class SegmentCopy {
 public:
  SegmentCopy() = default;
  // Copies up to `bytes` bytes of the file; fewer if the file is shorter or a
  // read fails. Throws std::bad_alloc.
  SegmentCopy(int fd, std::size_t bytes);
  ~SegmentCopy();
  SegmentCopy(SegmentCopy&& other) noexcept;
  SegmentCopy& operator=(SegmentCopy&& other) noexcept;

  std::string_view bytes() const { return {memory_, bytes_}; }
  std::span<char> writable() { return {memory_, bytes_}; }

 private:
  // Copies the bytes [begin, end). Returns false if fewer are available.
  bool copy(int fd, std::size_t begin, std::size_t end);

  char* memory_ = nullptr;
  std::size_t reserved_ = 0;
  std::size_t bytes_ = 0;
};

// Makes a consistent copy of a segment that its process may have written
// meanwhile.
// `first` and `second` are two consecutive readings of the same size, and
// `content` was parsed from `first`. `head_after` is the ring's head, read
// after `second`.
// A slot's commit word is written last. A slot that is committed in `first` is
// therefore whole in `second`, unless it was claimed again.
// Afterwards `second` has the counters of `first`. Slots that changed since
// `first` or were claimed again are empty.
void settle(const SegmentContent& content, std::string_view first,
            std::span<char> second, std::uint64_t head_after);

}  // namespace traced
