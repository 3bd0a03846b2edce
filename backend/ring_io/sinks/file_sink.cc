#include "ring_io/sinks/file_sink.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "ring_io/support/file_limit.h"
#include "ring_io/support/kill_point.h"

namespace traced {
namespace {

constexpr int kMaxNameTries = 1000;

// Moves `fd` above stderr. If a process began without stdin, stdout or stderr,
// a trace file must not take their number, because libraries write to them.
int apart(int fd) {
  if (fd < 0 || fd > STDERR_FILENO) return fd;
  const int other = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(fd);
  return other;
}

int createNew(const std::string& path) {
  return apart(open(path.c_str(),
                    O_CREAT | O_EXCL | O_WRONLY | O_APPEND | O_CLOEXEC, 0644));
}

// Opens an existing file for appending. Returns -1 and sets errno on failure,
// also if the path is no longer a regular file. Does not block on a pipe.
int openAgain(const std::string& path) {
  const int fd = apart(open(
      path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (fd < 0) return -1;
  struct stat status;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) return fd;
  close(fd);
  errno = ESTALE;
  return -1;
}

// Makes a path absolute, because the job may change its working directory.
std::string absolute(const std::string& path) {
  std::error_code error;
  const std::string result = std::filesystem::absolute(path, error).string();
  return error ? path : result;
}

// Returns a host name in a form that is valid in a file name.
std::string sanitized(std::string name) {
  for (char& c : name) {
    if (c == '/' || c == '\0') c = '_';
  }
  return name.empty() ? "host" : name;
}

}  // namespace

FileSink::FileSink(std::string stem, std::uint64_t max_bytes, int fd)
    : stem_(std::move(stem)), max_bytes_(max_bytes) {
  current_.path = partPath(stem_, 0);
  take(fd);
}

Result<std::unique_ptr<FileSink>> FileSink::create(
    const Options& options, const ProcessIdentity& process,
    const HostInfo& host) {
  const std::string directory = absolute(options.directory) + "/" + options.job;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return Error{"cannot create the directory " + directory + ": " +
                 error.message()};
  }
  const std::string base = directory + "/rank-" + std::to_string(process.rank) +
                           ".attempt-" + std::to_string(process.attempt) + "." +
                           sanitized(host.host) + "." +
                           std::to_string(host.pid);
  std::string stem = base;
  for (int next = 2; next < kMaxNameTries; ++next) {
    const int fd = createNew(partPath(stem, 0));
    if (fd >= 0) {
      return std::unique_ptr<FileSink>(
          new FileSink(stem, options.max_bytes, fd));
    }
    if (errno != EEXIST) break;
    stem = base + "-" + std::to_string(next);
  }
  return Error{"cannot write " + partPath(stem, 0) + ": " +
               std::strerror(errno)};
}

Result<std::unique_ptr<FileSink>> FileSink::resume(
    const std::vector<TracePart>& parts, std::uint64_t max_bytes,
    std::uint64_t deleted) {
  const TracePart& last = parts.back();
  const int fd = openAgain(last.path);
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(last.bytes)) != 0) {
    const std::string why = std::strerror(errno);
    if (fd >= 0) close(fd);
    return Error{"cannot write " + last.path + ": " + why};
  }
  const std::string stem = stemOf(part0Of(last.path));
  std::unique_ptr<FileSink> sink(new FileSink(stem, max_bytes, fd));
  sink->current_ = last;
  if (parts.size() > 1) sink->previous_ = parts[parts.size() - 2];
  sink->records_deleted_ = deleted;
  // The process died before it could delete the excess part.
  for (std::size_t i = 0; max_bytes != 0 && i + 2 < parts.size(); ++i) {
    unlink(parts[i].path.c_str());
    sink->records_deleted_ += parts[i].records;
  }
  return sink;
}

FileSink::~FileSink() {
  if (isOurs(fd_)) close(fd_);
}

std::uint64_t FileSink::largestChunk() const {
  return max_bytes_ == 0 ? Sink::largestChunk() : max_bytes_ / 2;
}

bool FileSink::append(const std::string& chunk, std::uint64_t records) {
  if (chunk.size() > largestChunk()) {
    errno = EFBIG;
    return false;
  }
  const bool full =
      current_.bytes != 0 && current_.bytes + chunk.size() > largestChunk();
  if (full && !beginPart()) return false;
  if (!writeWhole(chunk)) return false;
  current_.bytes += chunk.size();
  current_.records += records;
  return true;
}

bool FileSink::beginPart() {
  // Delete first, so that the limit holds even if deletion fails.
  if (!deletePrevious()) return false;
  TracePart next;
  next.number = current_.number + 1;
  next.path = partPath(stem_, next.number);
  const int fd = createNew(next.path);
  if (fd < 0) return false;
  TRACED_KILL_POINT("part begun");
  take(fd);
  previous_ = current_;
  current_ = next;
  return true;
}

bool FileSink::deletePrevious() {
  if (previous_.path.empty()) return true;
  if (unlink(previous_.path.c_str()) != 0 && errno != ENOENT) return false;
  records_deleted_ += previous_.records;
  previous_ = {};
  TRACED_KILL_POINT("part deleted");
  return true;
}

void FileSink::take(int fd) {
  if (isOurs(fd_)) close(fd_);
  fd_ = fd;
  struct stat status = {};
  fstat(fd_, &status);
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

bool FileSink::isOurs(int fd) const {
  struct stat status;
  return fd >= 0 && fstat(fd, &status) == 0 && status.st_dev == device_ &&
         status.st_ino == inode_;
}

// Ensures that fd_ is still our file. A job that closes unknown descriptors may
// have reused the number for its own file.
// Fails with ENOENT if the file was removed, because later writes would be lost
// silently.
bool FileSink::haveFile() {
  if (!isOurs(fd_)) {
    fd_ = -1;  // the new file may get the same number
    const int fd = openAgain(current_.path);
    if (fd < 0) return false;
    if (!isOurs(fd)) {
      close(fd);
      errno = ESTALE;
      return false;
    }
    take(fd);
  }
  struct stat status;
  if (fstat(fd_, &status) == 0 && status.st_nlink > 0) return true;
  errno = ENOENT;
  return false;
}

bool FileSink::writeWhole(const std::string& chunk) {
  if (!haveFile()) return false;
  if (isBeyondFileLimit(current_.bytes + chunk.size())) {
    errno = EFBIG;
    return false;
  }
  std::size_t done = 0;
  while (done < chunk.size()) {
    const ssize_t n = write(fd_, chunk.data() + done, chunk.size() - done);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      const int error = errno;
      // Restore the file, so that it ends with a whole chunk.
      if (ftruncate(fd_, static_cast<off_t>(current_.bytes)) != 0) {
        current_.bytes += done;
      }
      errno = error;
      return false;
    }
  }
  return true;
}

}  // namespace traced
