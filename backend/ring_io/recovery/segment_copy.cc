#include "ring_io/recovery/segment_copy.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "ring_io/ring/ring.h"

namespace traced {
namespace {

// Returns the start of the next data at or after `offset`, at most `end`.
// Without support from the file system, everything counts as data.
std::size_t nextData(int fd, std::size_t offset, std::size_t end) {
  const off_t at = lseek(fd, static_cast<off_t>(offset), SEEK_DATA);
  if (at < 0) return errno == ENXIO ? end : offset;
  return std::min(static_cast<std::size_t>(at), end);
}

// Returns the end of the data that begins at `offset`, at most `end`.
std::size_t endOfData(int fd, std::size_t offset, std::size_t end) {
  const off_t at = lseek(fd, static_cast<off_t>(offset), SEEK_HOLE);
  const bool found = at > static_cast<off_t>(offset);
  return found ? std::min(static_cast<std::size_t>(at), end) : end;
}

}  // namespace

SegmentCopy::SegmentCopy(int fd, std::size_t bytes) {
  if (bytes == 0) return;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<char*>(memory);
  reserved_ = bytes;
  for (std::size_t at = nextData(fd, 0, bytes); at < bytes;) {
    const std::size_t end = endOfData(fd, at, bytes);
    if (!copy(fd, at, end)) return;
    at = nextData(fd, end, bytes);
  }
  // The file may end with a hole, or have been truncated.
  struct stat status;
  if (fstat(fd, &status) != 0) return;
  bytes_ = std::min(bytes, static_cast<std::size_t>(status.st_size));
}

SegmentCopy::~SegmentCopy() {
  if (memory_) munmap(memory_, reserved_);
}

SegmentCopy::SegmentCopy(SegmentCopy&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      reserved_(std::exchange(other.reserved_, 0)),
      bytes_(std::exchange(other.bytes_, 0)) {}

SegmentCopy& SegmentCopy::operator=(SegmentCopy&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(reserved_, other.reserved_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

bool SegmentCopy::copy(int fd, std::size_t begin, std::size_t end) {
  for (bytes_ = begin; bytes_ < end;) {
    const ssize_t got =
        pread(fd, memory_ + bytes_, end - bytes_, static_cast<off_t>(bytes_));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes_ += static_cast<std::size_t>(got);
  }
  return true;
}

namespace {

std::uint64_t commitAt(std::string_view segment, std::size_t slot_at) {
  std::uint64_t commit;
  std::memcpy(&commit, segment.data() + slot_at + offsetof(RingSlot, commit),
              sizeof commit);
  return commit;
}

// Returns whether the slots of a committed record were claimed again. The old
// commit word remains until the new record is filled in.
bool isReused(std::uint64_t commit, std::uint64_t slots, std::uint64_t head) {
  return commit > 0 && commit <= head && head - (commit - 1) > slots;
}

}  // namespace

void settle(const SegmentContent& content, std::string_view first,
            std::span<char> second, std::uint64_t head_after) {
  const std::size_t slots_at = content.ring_offset + sizeof(RingControl);
  first.copy(second.data(), slots_at);
  for (std::uint64_t i = 0; i < content.slots; ++i) {
    const std::size_t at = slots_at + i * kSlotBytes;
    const std::uint64_t commit = commitAt(first, at);
    if (isReused(commit, content.slots, head_after) ||
        commitAt({second.data(), second.size()}, at) != commit) {
      std::memset(&second[at + offsetof(RingSlot, commit)], 0, sizeof commit);
    }
  }
}

}  // namespace traced
