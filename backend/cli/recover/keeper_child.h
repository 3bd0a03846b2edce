// KeeperChild is a child of the keeper's that does what may take long, hang or
// crash: the keeper itself only waits. It has none of the keeper's descriptors
// but that of the ring that it reads, so it keeps nobody waiting.

#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

namespace traced {

class KeeperChild {
 public:
  // What it is to say; at most some kilobytes.
  using Work = std::function<std::string()>;

  // nullopt when no process can be had. `kept` is a descriptor that the work
  // needs, behind that of the lock.
  static std::optional<KeeperChild> start(const Work& work, int kept = -1);
  KeeperChild(KeeperChild&& other) noexcept;
  KeeperChild& operator=(KeeperChild&& other) noexcept;
  ~KeeperChild();

  // Whether it has ended. It is then not to be asked again.
  bool hasEnded();
  // What it said, once it has ended: "" also when it died.
  std::string answer() const;
  void kill() const;

 private:
  KeeperChild(pid_t pid, int fd) : pid_(pid), fd_(fd) {}

  pid_t pid_;
  int fd_;
};

}  // namespace traced
