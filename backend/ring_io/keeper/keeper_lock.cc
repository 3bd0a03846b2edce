#include "ring_io/keeper/keeper_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "xxhash.h"

namespace traced {
namespace {

constexpr int kMaxTries = 100;

}  // namespace

std::string KeeperLock::pathFor(const std::string& ring_directory,
                                const std::string& job_start) {
  char id[17];
  std::snprintf(id, sizeof id, "%016llx",
                static_cast<unsigned long long>(
                    XXH3_64bits(job_start.data(), job_start.size())));
  return ring_directory + "/traced." + std::to_string(geteuid()) + "." + id +
         ".keeper";
}

KeeperLock::KeeperLock(std::string path) : path_(std::move(path)) { ask(); }

KeeperLock::KeeperLock(std::string path, int fd)
    : path_(std::move(path)), fd_(fd), owner_(Owner::kUs) {}

KeeperLock::~KeeperLock() { close(); }

void KeeperLock::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  owner_ = Owner::kNobody;
}

// Anyone can create files next to the rings, so accept only a regular file of
// this user.
bool KeeperLock::open() {
  fd_ = ::open(path_.c_str(),
               O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (fd_ < 0) return false;
  struct stat status;
  if (fstat(fd_, &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_uid == geteuid()) {
    return true;
  }
  close();
  errno = EPERM;
  return false;
}

KeeperLock::Owner KeeperLock::ask() {
  for (int i = 0; i < kMaxTries; ++i) {
    close();
    if (!open()) return owner_;
    if (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      futimens(fd_, nullptr);
      close();
      errno = error;
      return owner_ = error == EWOULDBLOCK ? Owner::kOthers : Owner::kNobody;
    }
    // A keeper that ended may have removed the file after it was opened here.
    struct stat status;
    if (fstat(fd_, &status) == 0 && status.st_nlink > 0) {
      return owner_ = Owner::kUs;
    }
  }
  close();
  errno = EAGAIN;
  return owner_;
}

std::int64_t KeeperLock::lastRequestNs() const {
  struct stat status;
  if (fd_ < 0 || fstat(fd_, &status) != 0) return 0;
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  return status.st_mtim.tv_sec * kNsPerSecond + status.st_mtim.tv_nsec;
}

void KeeperLock::giveUp() {
  if (owner_ != Owner::kUs) return;
  unlink(path_.c_str());
  close();
}

}  // namespace traced
