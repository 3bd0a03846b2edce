// SegmentFile is a segment seen from outside: whether its owner lives, and what
// is in it. It is opened for reading only.

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
    // Nobody can write to the segment any more, and the lock is ours.
    kDead,
    // Somebody has the lock: its process, or another recovery.
    kAlive,
    // The file is gone: another recovery was first.
    kGone,
  };

  // nullptr when there is no such regular file that may be read.
  static std::unique_ptr<SegmentFile> open(const std::string& path);
  ~SegmentFile();
  SegmentFile(const SegmentFile&) = delete;
  SegmentFile& operator=(const SegmentFile&) = delete;

  const std::string& path() const { return path_; }
  int descriptor() const { return fd_; }
  uid_t uid() const { return uid_; }
  gid_t gid() const { return gid_; }
  // Part 0 of its trace; "" when it does not say.
  std::string tracePath() const;
  // 0 when it does not say.
  std::uint64_t streamId() const;
  // Returns why it cannot be a ring that this user may rely on: its owner, mode
  // or size. "": it can. Asked of the open file, before anything of it is used.
  std::string whyRefused() const;
  // The same of a ring that is read where it was made, which has no holes.
  std::string whyRefusedLive() const;
  // Whether its owner may be about to lock it: it has no content yet.
  bool isBeingMade() const;

  // Does not wait. The lock is held until destruction.
  Owner lock();
  // Whether its process lives; takes no lock. Only of a segment that is not
  // being made.
  bool isAlive() const;
  // Whether it has a name still: it is removed when it is closed or recovered.
  bool isLinked() const;
  // The process that has the lock; see process_watch.h.
  std::optional<pid_t> lockOwner() const;
  // Whose it is, without its ring.
  Result<SegmentContent> describe() const;
  // A copy of what it says to hold; shorter when it cannot be read. Of a file
  // that is no segment only the beginning.
  SegmentCopy read() const;
  // The same while its process may write to it; see segment_copy.h.
  SegmentCopy readLive() const;
  // Fills `bytes` with what is at an offset. False when there is less.
  bool readAt(std::uint64_t offset, std::span<char> bytes) const;
  // False when it cannot be removed. Only when locked.
  bool remove();

 private:
  SegmentFile(std::string path, int fd, uid_t uid, gid_t gid);

  const std::string path_;
  const int fd_;
  const uid_t uid_;
  const gid_t gid_;
};

}  // namespace traced
