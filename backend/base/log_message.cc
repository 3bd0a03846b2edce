#include "base/log_message.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/threads.h"

namespace traced {
namespace {

std::atomic<bool> is_forgotten{false};

class Line {
 public:
  void add(std::string_view text) noexcept {
    // leaves room for the newline
    const std::size_t room = sizeof text_ - 1 - bytes_;
    text = text.substr(0, room);
    std::transform(text.begin(), text.end(), text_ + bytes_, [](char c) {
      return std::iscntrl(static_cast<unsigned char>(c)) ? '?' : c;
    });
    bytes_ += text.size();
  }
  std::string_view finish() noexcept {
    text_[bytes_++] = '\n';
    return {text_, bytes_};
  }

 private:
  char text_[kMaxMessageBytes];
  std::size_t bytes_ = 0;
};

// Blocks all signals in this thread and consumes the one that a failed write
// raises.
class WithoutSignals {
 public:
  WithoutSignals() { sigpending(&before_); }
  ~WithoutSignals() {
    if (errno == EPIPE) takeBack(SIGPIPE);
    if (errno == EFBIG) takeBack(SIGXFSZ);
  }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  // Consumes the signal, unless it was already pending before the write.
  void takeBack(int number) const {
    if (sigismember(&before_, number) == 1) return;
    sigset_t made;
    sigemptyset(&made);
    sigaddset(&made, number);
    const timespec at_once = {};
    sigtimedwait(&made, nullptr, &at_once);
  }

  const SignalsBlocked blocked_;
  sigset_t before_;
};

bool takesMore(int fd) {
  pollfd place{fd, POLLOUT, 0};
  return poll(&place, 1, 0) == 1 && (place.revents & POLLOUT) != 0;
}

void writeTo(int fd, std::string_view line) {
  static_cast<void>(!write(fd, line.data(), line.size()));
}

// Writes without blocking. O_NONBLOCK would affect every process that shares
// the descriptor, so the job's descriptor stays unchanged and stderr is
// reopened where possible.
void writeWithoutWaiting(std::string_view line) {
  struct stat status;
  if (fstat(STDERR_FILENO, &status) != 0) return;
  if (S_ISREG(status.st_mode)) return writeTo(STDERR_FILENO, line);
  if (S_ISSOCK(status.st_mode)) {
    send(STDERR_FILENO, line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return;
  }
  const int own = open("/proc/self/fd/2",
                       O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_APPEND);
  if (own >= 0) {
    writeTo(own, line);
    const int error = errno;
    close(own);
    errno = error;
  } else if (takesMore(STDERR_FILENO)) {
    writeTo(STDERR_FILENO, line);
  }
}

}  // namespace

void forgetStderr() noexcept { is_forgotten = true; }

bool hasStderr() noexcept { return !is_forgotten; }

void logMessage(std::initializer_list<std::string_view> parts) noexcept {
  if (!hasStderr()) return;
  const int error = errno;
  Line line;
  line.add("traced: ");
  for (const std::string_view part : parts) line.add(part);
  {
    const WithoutSignals quiet;
    errno = 0;
    writeWithoutWaiting(line.finish());
  }
  errno = error;
}

}  // namespace traced
