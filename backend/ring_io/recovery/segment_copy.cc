#include "ring_io/recovery/segment_copy.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

namespace traced {
namespace {

// Where the next data begins at or behind `offset`, at most `end`. A file
// system that cannot tell has data everywhere.
std::size_t nextData(int fd, std::size_t offset, std::size_t end) {
  const off_t at = lseek(fd, static_cast<off_t>(offset), SEEK_DATA);
  if (at < 0) return errno == ENXIO ? end : offset;
  return std::min(static_cast<std::size_t>(at), end);
}

// Where the data that begins at `offset` ends.
std::size_t endOfData(int fd, std::size_t offset, std::size_t end) {
  const off_t at = lseek(fd, static_cast<off_t>(offset), SEEK_HOLE);
  const bool told = at > static_cast<off_t>(offset);
  return told ? std::min(static_cast<std::size_t>(at), end) : end;
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
  // The end may be a hole, or not be there any more.
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

}  // namespace traced
