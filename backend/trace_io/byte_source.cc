#include "trace_io/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace traced {
namespace {

constexpr std::size_t kWindowBytes = std::size_t{1} << 20;

Error systemError(const std::string& path) {
  return Error{path + ": " + std::strerror(errno)};
}

}  // namespace

std::string_view MemorySource::read(std::uint64_t offset, std::size_t length) {
  if (offset >= bytes_.size()) return {};
  return bytes_.substr(offset, length);
}

Result<std::unique_ptr<FileSource>> FileSource::open(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe without a writer would hang.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return systemError(path);
  struct stat status;
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(fd);
    return Error{path + ": not a regular file"};
  }
  return std::unique_ptr<FileSource>(
      new FileSource(fd, static_cast<std::uint64_t>(status.st_size)));
}

FileSource::~FileSource() { ::close(fd_); }

std::string_view FileSource::read(std::uint64_t offset, std::size_t length) {
  if (offset >= size_) return {};
  length = std::min<std::uint64_t>(length, size_ - offset);
  const bool inside = offset >= window_offset_ &&
                      offset + length <= window_offset_ + window_bytes_;
  if (!inside) {
    fill(offset, std::min<std::uint64_t>(std::max(length, kWindowBytes),
                                         size_ - offset));
  }
  const std::uint64_t start = offset - window_offset_;
  return std::string_view(window_.data(), window_bytes_).substr(start, length);
}

void FileSource::fill(std::uint64_t offset, std::size_t length) {
  if (window_.size() < length) window_.resize(length);
  window_offset_ = offset;
  window_bytes_ = 0;
  while (window_bytes_ < length) {
    const ssize_t got =
        ::pread(fd_, window_.data() + window_bytes_, length - window_bytes_,
                static_cast<off_t>(offset + window_bytes_));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    window_bytes_ += static_cast<std::size_t>(got);
  }
}

}  // namespace traced
