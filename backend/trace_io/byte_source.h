// ByteSource gives random access to the bytes of a trace without holding all of
// them in memory.

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace traced {

// Not thread safe: an implementation may reuse one buffer.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Returns the size when the source was opened. Later appends are not read.
  virtual std::uint64_t size() const = 0;

  // Returns the bytes [offset, offset + length), valid until the next call.
  // Returns fewer at the end of the source and after a read error.
  virtual std::string_view read(std::uint64_t offset, std::size_t length) = 0;
};

// Reads bytes in memory, which must outlive the source.
class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t size() const override { return bytes_.size(); }
  std::string_view read(std::uint64_t offset, std::size_t length) override;

 private:
  std::string_view bytes_;
};

// Reads another source from an offset on. `whole` must outlive this object.
class SourceTail : public ByteSource {
 public:
  // An offset past the end makes an empty source.
  SourceTail(ByteSource& whole, std::uint64_t begin)
      : whole_(whole), begin_(std::min(begin, whole.size())) {}

  std::uint64_t size() const override { return whole_.size() - begin_; }
  std::string_view read(std::uint64_t offset, std::size_t length) override {
    return whole_.read(begin_ + offset, length);
  }

 private:
  ByteSource& whole_;
  const std::uint64_t begin_;
};

// Reads a regular file. The file is not mapped: if it shrinks, a read is short
// instead of raising SIGBUS.
class FileSource : public ByteSource {
 public:
  // Returns an error of one sentence unless the path is a regular file that may
  // be read. Does not block on a pipe.
  static Result<std::unique_ptr<FileSource>> open(const std::string& path);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::uint64_t size() const override { return size_; }
  std::string_view read(std::uint64_t offset, std::size_t length) override;

 private:
  FileSource(int fd, std::uint64_t size) : fd_(fd), size_(size) {}
  // Reads up to `length` bytes at `offset` into window_.
  void fill(std::uint64_t offset, std::size_t length);

  const int fd_;
  const std::uint64_t size_;
  // The last part read: [window_offset_, window_offset_ + window_bytes_).
  std::string window_;
  std::uint64_t window_offset_ = 0;
  std::size_t window_bytes_ = 0;
};

}  // namespace traced
