#include "analysis/history/history_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "analysis/history/history_limits.h"
#include "analysis/history/history_line.h"
#include "analysis/history/line_splitter.h"

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

// What is known of the lines of a file before one is added.
class LinesThere {
 public:
  explicit LinesThere(std::string id) : id_(std::move(id)) {}

  // False where it cannot be read.
  bool read(int fd) {
    // A line is known by its beginning, but the first is looked at whole.
    LineSplitter lines(kMostLineBytes,
                       [this](std::string_view line) { look(line); });
    std::string block(std::size_t{1} << 20, '\0');
    off_t at = 0;
    while (true) {
      const ssize_t count = pread(fd, block.data(), block.size(), at);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return false;
      if (count == 0) break;
      lines.add({block.data(), static_cast<std::size_t>(count)});
      at += count;
    }
    ends_in_newline_ = lines.endsInNewline();
    lines.finish();
    return true;
  }

  bool isHistory() const { return is_history_; }
  bool hasRun() const { return has_run_; }
  bool endsInNewline() const { return ends_in_newline_; }

 private:
  void look(std::string_view line) {
    if (is_first_) is_history_ = parseHistoryLine(line).ok();
    is_first_ = false;
    has_run_ |= idOf(line) == id_;
  }
  // Of a line that something else has written anew all is read.
  static std::string idOf(std::string_view line) {
    const std::string_view id = idOfLine(line);
    if (!id.empty()) return std::string(id);
    const auto read = parseHistoryLine(line);
    return read ? read->run.id : "";
  }

  const std::string id_;
  bool is_first_ = true;
  bool is_history_ = true;
  bool has_run_ = false;
  bool ends_in_newline_ = true;
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
