// A file in memory: it is gone with this process, however that ends.

#pragma once

#include <string>

namespace traced {

class MemoryFile {
 public:
  explicit MemoryFile(const std::string& content);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // To be opened in this process.
  std::string path() const;
  // Whether all of the content is in it.
  bool isWhole() const { return whole_; }

 private:
  int fd_;
  bool whole_ = false;
};

}  // namespace traced
