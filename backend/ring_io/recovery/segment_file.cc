#include "ring_io/recovery/segment_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "ring_io/recovery/segment_copy.h"
#include "ring_io/ring/ring.h"
#include "ring_io/ring/segment.h"
#include "ring_io/support/process_watch.h"

namespace traced {
namespace {

// Far longer than the time between creating and locking a file.
constexpr time_t kMakingSeconds = 60;
// Ample for the data before a ring.
constexpr std::uint64_t kMaxHeadBytes = std::uint64_t{1} << 20;
// The unit of st_blocks on Linux, for all file systems.
constexpr std::uint64_t kStatBlockBytes = 512;

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

std::string SegmentFile::whyRefused() const {
  struct stat status;
  if (fstat(fd_, &status) != 0) return "it cannot be read";
  if (status.st_uid != geteuid() && geteuid() != 0) {
    return "it belongs to another user";
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return "users other than its owner may write to it";
  }
  if (static_cast<std::uint64_t>(status.st_size) > kMaxSegmentBytes) {
    return "it is larger than any ring";
  }
  return "";
}

std::string SegmentFile::whyRefusedLive() const {
  std::string why = whyRefused();
  struct stat status;
  if (!why.empty() || fstat(fd_, &status) != 0) return why;
  // A recorder allocates every block.
  const auto allocated = std::uint64_t{kStatBlockBytes} *
                         static_cast<std::uint64_t>(status.st_blocks);
  return allocated < static_cast<std::uint64_t>(status.st_size)
             ? "it has holes, which no recorder makes"
             : "";
}

std::string SegmentFile::tracePath() const {
  return tracePathIn(SegmentCopy(fd_, sizeof(SegmentHeader)).bytes());
}

std::uint64_t SegmentFile::streamId() const {
  return streamIdOf(SegmentCopy(fd_, sizeof(SegmentHeader)).bytes());
}

bool SegmentFile::isBeingCreated() const {
  const SegmentCopy head(fd_, sizeof(SegmentHeader));
  struct stat status;
  return !isNamed(head.bytes()) && fstat(fd_, &status) == 0 &&
         time(nullptr) - status.st_mtime < kMakingSeconds;
}

SegmentFile::Owner SegmentFile::lock() {
  if (flock(fd_, LOCK_EX | LOCK_NB) != 0) return Owner::kAlive;
  return isLinked() ? Owner::kDead : Owner::kGone;
}

bool SegmentFile::isLinked() const {
  struct stat status;
  return fstat(fd_, &status) == 0 && status.st_nlink > 0;
}

std::optional<pid_t> SegmentFile::lockOwner() const {
  struct stat status;
  if (fstat(fd_, &status) != 0) return std::nullopt;
  return traced::lockOwner(status.st_dev, status.st_ino);
}

Result<SegmentContent> SegmentFile::describe() const {
  struct stat status;
  if (fstat(fd_, &status) != 0) return Error{"it cannot be read"};
  SegmentHeader head{};
  const SegmentCopy first(fd_, sizeof head);
  if (first.bytes().size() == sizeof head) {
    std::memcpy(&head, first.bytes().data(), sizeof head);
  }
  const std::uint64_t bytes = std::min(head.ring_offset, kMaxHeadBytes);
  return parseSegmentHead(SegmentCopy(fd_, bytes).bytes(),
                          static_cast<std::uint64_t>(status.st_size));
}

SegmentCopy SegmentFile::read() const {
  struct stat status;
  if (fstat(fd_, &status) != 0) return {};
  const SegmentCopy head(fd_, sizeof(SegmentHeader));
  return {fd_, bytesToRead(head.bytes(),
                           static_cast<std::uint64_t>(status.st_size))};
}

bool SegmentFile::isAlive() const {
  struct flock whole {};
  whole.l_type = F_RDLCK;
  whole.l_whence = SEEK_SET;
  // If the lock cannot be queried, the file is treated as unlocked: it is
  // unusable anyway.
  return fcntl(fd_, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

SegmentCopy SegmentFile::readLive() const {
  SegmentCopy first = read();
  const Result<SegmentContent> content = parseSegment(first.bytes());
  if (!content) return first;
  SegmentCopy second(fd_, first.bytes().size());
  if (second.bytes().size() != first.bytes().size()) return first;
  std::uint64_t head = 0;
  const std::size_t head_at =
      content->ring_offset + offsetof(RingControl, head);
  // If the file became shorter, nothing of the second reading is used.
  if (pread(fd_, &head, sizeof head, static_cast<off_t>(head_at)) < 0) head = 0;
  settle(*content, first.bytes(), second.writable(), head);
  return second;
}

bool SegmentFile::readAt(std::uint64_t offset, std::span<char> bytes) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = pread(fd_, bytes.data() + done, bytes.size() - done,
                              static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

bool SegmentFile::remove() { return unlink(path_.c_str()) == 0; }

}  // namespace traced
