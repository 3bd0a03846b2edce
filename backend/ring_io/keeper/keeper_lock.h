// KeeperLock decides who keeps the rings of a job: one keeper per user, start
// of a job and folder of rings. It is the lock (flock) of an empty file beside
// the rings, which the kernel takes back from a keeper that dies, however it
// does.
//
// A process makes its ring, then asks for the lock. A keeper that ends gives up
// the lock, then looks for rings once more. So either the process becomes the
// one to start a keeper, or its ring is seen.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace traced {

class KeeperLock {
 public:
  enum class Owner {
    kUs,      // the lock is held by this object
    kOthers,  // a keeper has it, and has been told that there is a new ring
    kNobody,  // it cannot be had; errno says why
  };

  // Returns the path of the lock of one start of a job (jobStartKey).
  static std::string pathFor(const std::string& ring_directory,
                             const std::string& job_start);

  // Does not wait.
  explicit KeeperLock(std::string path);
  // Takes over a descriptor that has the lock.
  KeeperLock(std::string path, int fd);
  // Closes the descriptor: the lock is then free unless it was handed on.
  ~KeeperLock();
  KeeperLock(const KeeperLock&) = delete;
  KeeperLock& operator=(const KeeperLock&) = delete;

  Owner owner() const { return owner_; }
  int fd() const { return fd_; }

  // Changes when somebody else asks for the lock.
  std::int64_t askedAt() const;
  // Removes the file and frees the lock, if it is ours.
  void giveUp();
  // Tries once more what the constructor tried.
  Owner ask();

 private:
  bool open();
  void close();

  const std::string path_;
  int fd_ = -1;
  Owner owner_ = Owner::kNobody;
};

}  // namespace traced
