#include "recorder/segment_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "recorder/live_copy.h"
#include "recorder/ring.h"
#include "recorder/segment.h"
#include "recorder/segment_content.h"

namespace traced {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{2} << 30;
// Far longer than it takes to lock a file after creating it.
constexpr time_t kMakingSeconds = 60;

}  // namespace

SegmentFile::SegmentFile(std::string path, int fd, uid_t uid, gid_t gid)
    : path_(std::move(path)), fd_(fd), uid_(uid), gid_(gid) {}

std::unique_ptr<SegmentFile> SegmentFile::open(const std::string& path) {
  const int fd =
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return nullptr;
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(fd);
    return nullptr;
  }
  return std::unique_ptr<SegmentFile>(
      new SegmentFile(path, fd, status.st_uid, status.st_gid));
}

SegmentFile::~SegmentFile() { ::close(fd_); }

std::string SegmentFile::tracePath() const {
  return tracePathIn(read(sizeof(SegmentHeader)));
}

bool SegmentFile::isBeingMade() const {
  struct stat status;
  return tracePath().empty() && fstat(fd_, &status) == 0 &&
         time(nullptr) - status.st_mtime < kMakingSeconds;
}

SegmentFile::Owner SegmentFile::lock() {
  if (flock(fd_, LOCK_EX | LOCK_NB) != 0) return Owner::kAlive;
  struct stat status;
  const bool linked = fstat(fd_, &status) == 0 && status.st_nlink > 0;
  return linked ? Owner::kDead : Owner::kGone;
}

std::string SegmentFile::read() const {
  struct stat status;
  if (fstat(fd_, &status) != 0) return "";
  return read(std::min(static_cast<std::uint64_t>(status.st_size), kMostBytes));
}

std::string SegmentFile::read(std::size_t bytes) const {
  std::string content(bytes, '\0');
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = pread(fd_, content.data() + done, bytes - done,
                              static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  content.resize(done);
  return content;
}

bool SegmentFile::isAlive() const {
  if (flock(fd_, LOCK_SH | LOCK_NB) != 0) return true;
  flock(fd_, LOCK_UN);
  return false;
}

std::string SegmentFile::readLive() const {
  const std::string first = read();
  std::string second = read();
  const Result<SegmentContent> content = parseSegment(first);
  if (!content) return first;
  std::uint64_t head = 0;
  const std::size_t head_at =
      content->ring_offset + offsetof(RingControl, head);
  // Of a file that became shorter nothing of the second reading is used either.
  if (pread(fd_, &head, sizeof head, static_cast<off_t>(head_at)) < 0) head = 0;
  return settled(*content, first, std::move(second), head);
}

bool SegmentFile::remove() { return unlink(path_.c_str()) == 0; }

}  // namespace traced
