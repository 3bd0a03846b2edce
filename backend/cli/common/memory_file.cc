#include "cli/common/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"

namespace traced {

MemoryFile::MemoryFile(const std::string& content)
    : fd_(memfd_create("traced", MFD_CLOEXEC)) {
  std::size_t done = 0;
  while (fd_ >= 0 && done < content.size()) {
    const ssize_t put =
        write(fd_, content.data() + done, content.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) break;
    done += static_cast<std::size_t>(put);
  }
  whole_ = fd_ >= 0 && done == content.size();
}

MemoryFile::~MemoryFile() {
  if (fd_ >= 0) close(fd_);
}

std::string MemoryFile::path() const {
  return absl::StrCat("/proc/self/fd/", fd_);
}

}  // namespace traced
