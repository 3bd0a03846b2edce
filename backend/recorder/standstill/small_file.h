// SmallFile holds the start of a file in /proc.

#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <utility>

namespace traced {

// A C string; "" if the file cannot be read.
struct SmallFile {
  char text[512] = {};

  SmallFile() = default;
  explicit SmallFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    readFrom(file);
    close(file);
  }

  void readFrom(int file) {
    // Not pread(), which a sandbox may forbid.
    if (lseek(file, 0, SEEK_SET) < 0 || read(file, text, sizeof text - 1) < 0) {
      text[0] = '\0';
    }
  }
};

// Keeps a file open, because to open one in /proc takes longer than to read it.
// Not thread safe.
class KeptFile {
 public:
  explicit KeptFile(std::string path) : path_(std::move(path)) {}
  KeptFile(const KeptFile&) = delete;
  KeptFile& operator=(const KeptFile&) = delete;
  ~KeptFile() {
    if (isOpen()) close(file_);
  }

  SmallFile read() {
    if (!isOpen()) reopen();
    SmallFile content;
    if (file_ >= 0) content.readFrom(file_);
    return content;
  }

 private:
  // Returns false also if the program closed the file. The number may then
  // refer to one of its own.
  bool isOpen() const {
    struct stat now {};
    return file_ >= 0 && fstat(file_, &now) == 0 &&
           now.st_dev == identity_.st_dev && now.st_ino == identity_.st_ino;
  }
  void reopen() {
    file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ >= 0 && fstat(file_, &identity_) != 0) {
      close(file_);
      file_ = -1;
    }
  }

  const std::string path_;
  int file_ = -1;
  struct stat identity_ {};
};

}  // namespace traced
