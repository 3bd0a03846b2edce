#include "analysis/merge/pending_file.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <ext/stdio_filebuf.h>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "analysis/reading/input_files.h"

namespace traced {
namespace {

constexpr int kEndingSignals[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM};

// Static, because another thread may still be in the handler.
char the_path[PATH_MAX];
std::atomic<bool> is_there{false};

// Removes the file and raises the signal again. Its default action is already
// restored and ends the program.
void removeAndEnd(int signal) {
  if (is_there.load()) unlink(the_path);
  raise(signal);
}

void takeOver(int signal) {
  struct sigaction now;
  if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) {
    return;
  }
  struct sigaction ours = {};
  ours.sa_handler = removeAndEnd;
  ours.sa_flags = SA_RESETHAND | SA_NODEFER;
  sigaction(signal, &ours, nullptr);
}

}  // namespace

RemovedOnSignal::RemovedOnSignal(const std::string& path) {
  if (path.size() >= sizeof the_path) return;
  path.copy(the_path, path.size());
  the_path[path.size()] = '\0';
  is_there.store(true);
  for (const int signal : kEndingSignals) takeOver(signal);
}

RemovedOnSignal::~RemovedOnSignal() { is_there.store(false); }

namespace {

namespace fs = std::filesystem;

constexpr int kMaxNameTries = 100;

std::string whyNotWritten(const std::string& path, Existing existing) {
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(path, ignored);
  if (!fs::exists(status)) return "";
  if (fs::is_symlink(status)) return "is a link; name what it leads to";
  if (fs::is_directory(status)) return "is a directory";
  if (!fs::is_regular_file(status)) return "is not a regular file";
  return existing == Existing::kKept ? "exists" : "";
}

// Creates a new file in the folder of `path`. Returns its descriptor, or -1 on
// failure. O_EXCL follows no link.
int createBeside(const std::string& path, std::string& name) {
  for (int tries = 0; tries < kMaxNameTries; ++tries) {
    name = pendingNameOf(path);
    const int fd =
        open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

// Some file systems do not support fsync() and fail with EINVAL.
bool isOnDisk(int fd) { return fsync(fd) == 0 || errno == EINVAL; }

void syncFolderOf(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  const int fd = open(folder.empty() ? "." : folder.c_str(),
                      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

}  // namespace

class PendingFile::Buffer : public __gnu_cxx::stdio_filebuf<char> {
 public:
  explicit Buffer(int fd)
      : stdio_filebuf(fd, std::ios::out | std::ios::binary) {}
};

bool isTaken(const std::string& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

PendingFile::PendingFile(const std::string& path, Existing existing)
    : path_(path),
      existing_(existing),
      refused_(whyNotWritten(path, existing)),
      out_(nullptr) {
  if (!refused_.empty()) return;
  const int fd = createBeside(path_, pending_);
  if (fd < 0) {
    pending_.clear();
    return;
  }
  removed_on_signal_ = std::make_unique<RemovedOnSignal>(pending_);
  buffer_ = std::make_unique<Buffer>(fd);
  out_.rdbuf(buffer_.get());
}

PendingFile::~PendingFile() {
  if (!pending_.empty() && !committed_) unlink(pending_.c_str());
}

std::string PendingFile::problem() const {
  return absl::StrCat(path_, ": ",
                      refused_.empty() ? "cannot be written" : refused_);
}

bool PendingFile::commit() {
  committed_ = out_.flush().good() && isOnDisk(buffer_->fd()) &&
               buffer_->close() != nullptr && putInPlace();
  if (committed_) syncFolderOf(path_);
  return committed_;
}

bool PendingFile::putInPlace() {
  const char* from = pending_.c_str();
  const char* to = path_.c_str();
  if (existing_ == Existing::kKept) {
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
      return true;
    }
    // Some file systems, such as NFS, do not support this call.
    const bool cannot = errno == EINVAL || errno == ENOSYS;
    if (!cannot || isTaken(path_)) {
      refused_ = whyNotWritten(path_, existing_);
      return false;
    }
  }
  return rename(from, to) == 0;
}

}  // namespace traced
