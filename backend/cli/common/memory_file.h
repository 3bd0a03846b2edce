// MemoryFile is an anonymous file in memory. It disappears with this process,
// even after a crash.

#pragma once

#include <string>

namespace traced {

class MemoryFile {
 public:
  // Writes `content` to a new file. isWhole() returns false on failure.
  explicit MemoryFile(const std::string& content);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // Returns a path for use in this process.
  std::string path() const;
  // Returns true if all of the content was written.
  bool isWhole() const { return whole_; }

 private:
  int fd_;
  bool whole_ = false;
};

}  // namespace traced
