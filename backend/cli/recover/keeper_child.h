// KeeperChild is a child process of the keeper for work that may take long,
// hang or crash. It closes all inherited descriptors except `kept`, so it keeps
// no reader of them waiting. The destructor neither kills nor reaps it.

#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

namespace traced {

class KeeperChild {
 public:
  // Returns the answer of the child, at most 4096 bytes.
  using Work = std::function<std::string()>;

  // Forks a child that runs `work`. Returns nullopt on failure. `kept` is a
  // descriptor that the work needs.
  static std::optional<KeeperChild> start(const Work& work, int kept = -1);
  KeeperChild(KeeperChild&& other) noexcept;
  KeeperChild& operator=(KeeperChild&& other) noexcept;
  ~KeeperChild();

  // Returns true once it has ended. Do not call it again after that.
  bool hasEnded();
  // Returns its answer once; "" if it died. Call it after hasEnded() returned
  // true: before, it blocks.
  std::string answer() const;
  // Kills the child without waiting for it.
  void kill() const;

 private:
  KeeperChild(pid_t pid, int fd) : pid_(pid), fd_(fd) {}

  pid_t pid_;
  int fd_;
};

}  // namespace traced
