#include "analysis/history/history_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "analysis/history/history_line.h"
#include "analysis/history/lines_there.h"

namespace traced {
namespace {

// A file that is closed, and with that unlocked, with this.
class LockedFile {
 public:
  // Waits for the lock. Never for a reader of a pipe.
  explicit LockedFile(const std::string& path)
      : fd_(open(path.c_str(),
                 O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666)) {
    if (fd_ < 0) return;
    int locked = -1;
    do {
      locked = flock(fd_, LOCK_EX);
    } while (locked != 0 && errno == EINTR);
    if (locked != 0) return;
    is_locked_ = fstat(fd_, &status_) == 0;
  }
  ~LockedFile() {
    if (fd_ >= 0) close(fd_);
  }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  // Else errno says why not.
  bool isLocked() const { return is_locked_; }
  bool isRegular() const { return S_ISREG(status_.st_mode); }
  off_t size() const { return status_.st_size; }
  int fd() const { return fd_; }

 private:
  const int fd_;
  struct stat status_ {};
  bool is_locked_ = false;
};

// Leaves nothing of a line that has no room.
bool writeAll(const LockedFile& file, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count =
        write(file.fd(), text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int why = errno;
      if (ftruncate(file.fd(), file.size()) != 0) return false;
      errno = why;
      return false;
    }
    written += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

Appended appendToHistory(const std::string& path, const RunFigures& run,
                         const std::string& label) {
  using Kind = Appended::Kind;
  const auto failed = [&path] {
    return Appended{Kind::kFailed,
                    absl::StrCat(path, ": ", std::strerror(errno))};
  };
  const LockedFile file(path);
  if (!file.isLocked()) return failed();
  if (!file.isRegular()) {
    return {Kind::kRefused, absl::StrCat(path, " is no file")};
  }
  LinesThere there(historyId(run));
  if (!there.read(file.fd())) return failed();
  if (!there.isHistory()) {
    return {Kind::kRefused, absl::StrCat(path, " is no history of runs")};
  }
  if (there.hasRun()) {
    return {Kind::kThereAlready,
            absl::StrCat(path, " has the run ", run.name, " already")};
  }
  // What a process that was killed left of a line stays a line of its own.
  const std::string line =
      (there.endsInNewline() ? "" : "\n") + historyLine(run, label);
  if (!writeAll(file, line)) return failed();
  return {};
}

}  // namespace traced
