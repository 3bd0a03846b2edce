#include "cli/compare/append_run.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "analysis/merge/pending_file.h"
#include "cli/common/complain.h"
#include "phrasing/budget_text.h"
#include "phrasing/text.h"

namespace traced {
namespace {

// Fits 100,000 runs of 1000 figures.
constexpr off_t kMaxFileBytes = off_t{1} << 30;

// LockedFile holds the lock (flock) of the file at a path.
class LockedFile {
 public:
  // Blocks until the lock is free.
  explicit LockedFile(const std::string& path) {
    while (lock(path) && !isUnder(path)) close(fd_);
  }
  ~LockedFile() {
    if (fd_ >= 0) close(fd_);
  }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  // Returns false if locking failed; errno has the reason.
  bool isLocked() const { return is_locked_; }
  bool isRegular() const { return S_ISREG(status_.st_mode); }
  off_t size() const { return status_.st_size; }
  mode_t permissions() const { return status_.st_mode & 0777; }

 private:
  bool lock(const std::string& path) {
    // O_NONBLOCK: open() must not wait for the other end of a pipe.
    fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    int locked = fd_ < 0 ? -1 : flock(fd_, LOCK_EX);
    while (fd_ >= 0 && locked != 0 && errno == EINTR) {
      locked = flock(fd_, LOCK_EX);
    }
    is_locked_ = locked == 0 && fstat(fd_, &status_) == 0;
    return is_locked_;
  }
  // Returns false if the previous lock holder replaced the file at the path.
  bool isUnder(const std::string& path) const {
    struct stat there {};
    return stat(path.c_str(), &there) == 0 && there.st_ino == status_.st_ino &&
           there.st_dev == status_.st_dev;
  }

  int fd_ = -1;
  bool is_locked_ = false;
  struct stat status_ {};
};

ExitCode refuseFile(const std::string& path, const std::string& why,
                    ExitCode code) {
  complain(absl::StrCat(path, why));
  return code;
}

}  // namespace

ExitCode refuseUnmeasured(const std::vector<std::string>& reasons) {
  for (const std::string& reason : reasons) {
    std::cerr << "tracectl: not measured: " << printable(reason) << "\n";
  }
  return ExitCode::kNotMeasured;
}

ExitCode appendRun(const RunFigures& run, const std::string& file,
                   const std::string& label) {
  if (!run.gaps.empty()) return refuseUnmeasured(gapTexts(run.gaps));
  if (run.started_realtime_ns <= 0) {
    return refuseUnmeasured({absl::StrCat(run.name, ": its start is unknown")});
  }
  const LockedFile locked(file);
  if (!locked.isLocked()) {
    return refuseFile(file, absl::StrCat(": ", std::strerror(errno)),
                      ExitCode::kInternal);
  }
  if (!locked.isRegular() || locked.size() > kMaxFileBytes) {
    return refuseFile(file, " is no file of runs", ExitCode::kUsage);
  }
  std::ifstream in(file, std::ios::binary);
  const std::string csv{std::istreambuf_iterator<char>(in), {}};
  if (!in || csv.size() != static_cast<std::size_t>(locked.size())) {
    return refuseFile(file, ": cannot be read", ExitCode::kInternal);
  }
  const Result<std::string> added = withRun(csv, run, label);
  if (!added) {
    return refuseFile(file, absl::StrCat(" ", added.error().message),
                      ExitCode::kUsage);
  }
  PendingFile out(file, Existing::kReplaced);
  out.stream() << *added;
  if (!finish(out)) return ExitCode::kInternal;
  // Keeps the file accessible to everyone who could write to it before.
  static_cast<void>(chmod(file.c_str(), locked.permissions()));
  return ExitCode::kFine;
}

}  // namespace traced
