// SegmentFile inspects another process's segment: whether its owner lives, and
// its content. The file is opened read-only.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "ring_io/recovery/segment_content.h"
#include "ring_io/recovery/segment_copy.h"

namespace traced {

class SegmentFile {
 public:
  enum class Owner {
    // No process can write to the segment any more, and this object holds the
    // lock.
    kDead,
    // Another process has the lock: the owner, or another recovery.
    kAlive,
    // As kDead, but the file's name was removed: another recovery was first.
    kGone,
  };

  // Returns nullptr unless the path is a regular file that may be read.
  static std::unique_ptr<SegmentFile> open(const std::string& path);
  ~SegmentFile();
  SegmentFile(const SegmentFile&) = delete;
  SegmentFile& operator=(const SegmentFile&) = delete;

  const std::string& path() const { return path_; }
  int descriptor() const { return fd_; }
  uid_t uid() const { return uid_; }
  gid_t gid() const { return gid_; }
  // Returns part 0 of its trace; "" if the segment does not name it.
  std::string tracePath() const;
  // Returns 0 if the segment does not name it.
  std::uint64_t streamId() const;
  // Returns the reason why this user must not trust the file: its owner, mode
  // or size. Returns "" if it is acceptable. Call before any content is used.
  std::string whyRefused() const;
  // Does the same for a ring that is read where it was created. Such a file has
  // no holes.
  std::string whyRefusedLive() const;
  // Returns whether its owner may still be about to lock it, because it has no
  // content yet.
  bool isBeingCreated() const;

  // Tries to take the lock without blocking. The lock is held until
  // destruction.
  Owner lock();
  // Returns whether the process lives, without taking a lock. Requires a
  // segment that is not being created.
  bool isAlive() const;
  // Returns whether the file still has a name. The name is removed on close and
  // after recovery.
  bool isLinked() const;
  // Returns the process that holds the lock; see process_watch.h.
  std::optional<pid_t> lockOwner() const;
  // Returns the content without the ring.
  Result<SegmentContent> describe() const;
  // Returns a copy of the whole segment. It is shorter if a read fails. For a
  // file that is no segment it holds only the beginning.
  SegmentCopy read() const;
  // Does the same while the process may write to the segment; see
  // segment_copy.h.
  SegmentCopy readLive() const;
  // Fills `bytes` from an offset. Returns false if fewer bytes are available.
  bool readAt(std::uint64_t offset, std::span<char> bytes) const;
  // Removes the file. Returns false on failure. Requires the lock.
  bool remove();

 private:
  SegmentFile(std::string path, int fd, uid_t uid, gid_t gid);

  const std::string path_;
  const int fd_;
  const uid_t uid_;
  const gid_t gid_;
};

}  // namespace traced
