// KeeperLock elects the one keeper per user, job start and ring folder. The
// lock (flock) is on an empty file next to the rings. The kernel releases it
// when the keeper dies.
//
// A process creates its ring before it asks for the lock. A keeper releases the
// lock before it searches for rings a last time. Therefore either the process
// gets the lock and starts a keeper, or the old keeper finds its ring.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace traced {

class KeeperLock {
 public:
  enum class Owner {
    kUs,      // this object holds the lock
    kOthers,  // a keeper holds it and was notified of a new ring
    kNobody,  // the lock cannot be taken; errno has the reason
  };

  // Returns the path of the lock file for one start of a job (jobStartKey).
  static std::string pathFor(const std::string& ring_directory,
                             const std::string& job_start);

  // Tries to take the lock without blocking; see owner().
  explicit KeeperLock(std::string path);
  // Takes over a descriptor that holds the lock.
  KeeperLock(std::string path, int fd);
  // Closes the descriptor. This releases the lock unless another process
  // inherited the descriptor.
  ~KeeperLock();
  KeeperLock(const KeeperLock&) = delete;
  KeeperLock& operator=(const KeeperLock&) = delete;

  Owner owner() const { return owner_; }
  // Returns the descriptor that holds the lock, or -1 without the lock.
  int fd() const { return fd_; }

  // Returns the file's modification time, which changes when another process
  // asks for the lock. Returns 0 without the lock.
  std::int64_t lastRequestNs() const;
  // Removes the file and releases the lock if this object holds it.
  void giveUp();
  // Tries again to take the lock without blocking.
  Owner ask();

 private:
  bool open();
  void close();

  const std::string path_;
  int fd_ = -1;
  Owner owner_ = Owner::kNobody;
};

}  // namespace traced
