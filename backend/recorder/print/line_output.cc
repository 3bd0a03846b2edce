#include "recorder/print/line_output.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "base/threads.h"

namespace traced {

// Shared with the thread, which may be blocked in a write after the owner was
// destroyed.
struct LineOutput::State {
  explicit State(int descriptor) : fd(descriptor) {}

  const int fd;
  std::atomic<std::uint64_t> dropped{0};
  std::mutex mutex;
  std::condition_variable changed;
  std::condition_variable gave_up;
  // Guarded by mutex.
  std::string waiting;      // whole lines
  std::string under_way;    // written by the thread without the lock
  std::uint64_t lines = 0;  // in both
  bool finishing = false;

  void run();
  void nextBatch();
  void awaitRoom(std::unique_lock<std::mutex>& lock);
  bool writeAll(std::string_view bytes) const;
  bool mayTakeMore() const;
};

namespace {

std::uint64_t linesIn(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

// Returns the size of the largest prefix of whole lines that one write takes
// atomically.
std::size_t batchOf(std::string_view lines) {
  if (lines.size() <= LineOutput::kMaxLineBytes) return lines.size();
  return lines.substr(0, LineOutput::kMaxLineBytes).rfind('\n') + 1;
}

// Unread bytes in a pipe or socket, and its capacity.
struct Filling {
  int unread = 0;
  int capacity = 0;
};

std::optional<Filling> fillingOf(int fd) {
  Filling filling;
  filling.capacity = fcntl(fd, F_GETPIPE_SZ);
  if (filling.capacity > 0) {
    if (ioctl(fd, FIONREAD, &filling.unread) == 0) return filling;
    return std::nullopt;
  }
  socklen_t size = sizeof filling.capacity;
  const bool is_socket =
      getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &filling.capacity, &size) == 0;
  if (is_socket && ioctl(fd, SIOCOUTQ, &filling.unread) == 0) return filling;
  return std::nullopt;
}

// Returns whether to write now. The job writes to the same descriptor and
// blocks when it is full. If the reader is slow, three quarters of the capacity
// stay free for the job.
bool hasRoom(int fd, std::size_t bytes) {
  pollfd place{fd, POLLOUT, 0};
  const bool is_gone =
      poll(&place, 1, 0) == 1 && (place.revents & (POLLERR | POLLNVAL));
  const std::optional<Filling> filling = fillingOf(fd);
  if (is_gone || !filling || filling->unread <= 0) return true;
  return static_cast<std::size_t>(filling->unread) + bytes <=
         static_cast<std::size_t>(filling->capacity) / 4;
}

}  // namespace

void LineOutput::State::run() {
  beginThread("traced-print");
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [this] { return finishing || !waiting.empty(); });
    if (waiting.empty()) return;
    nextBatch();
    const std::uint64_t batch = linesIn(under_way);
    awaitRoom(lock);
    if (lines == 0) return;  // abandoned, and already counted
    lock.unlock();
    const bool written = writeAll(under_way);
    lock.lock();
    if (lines == 0) {  // abandoned meanwhile, and already counted
      if (written) dropped -= batch;
      return;
    }
    if (!written) dropped += batch;
    lines -= batch;
    under_way.clear();
    changed.notify_all();
  }
}

void LineOutput::State::nextBatch() {
  const std::size_t bytes = batchOf(waiting);
  under_way.assign(waiting, 0, bytes);
  waiting.erase(0, bytes);
}

void LineOutput::State::awaitRoom(std::unique_lock<std::mutex>& lock) {
  constexpr std::chrono::milliseconds kMaxPause{64};
  std::chrono::milliseconds pause{1};
  while (lines > 0 && !hasRoom(fd, under_way.size())) {
    gave_up.wait_for(lock, pause);
    pause = std::min(2 * pause, kMaxPause);
  }
}

// Waits for room if another process made the descriptor non-blocking. Returns
// false if the descriptor is unusable.
bool LineOutput::State::mayTakeMore() const {
  constexpr int kTurnMs = 1000;
  pollfd place{fd, POLLOUT, 0};
  const int ready = poll(&place, 1, kTurnMs);
  return ready >= 0 || errno == EINTR;
}

bool LineOutput::State::writeAll(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      if (!mayTakeMore()) return false;
    } else if (errno != EINTR) {
      return false;  // its reader is gone
    }
  }
  return true;
}

LineOutput::LineOutput(int descriptor)
    : state_(std::make_shared<State>(descriptor)) {
  // Includes SIGPIPE.
  const SignalsBlocked blocked;
  state_->waiting.reserve(kMaxBytes);
  state_->under_way.reserve(kMaxLineBytes);
  std::thread([state = state_] { state->run(); }).detach();
}

LineOutput::~LineOutput() { finish(std::chrono::milliseconds(0)); }

void LineOutput::put(const std::string& line) noexcept {
  const std::lock_guard lock(state_->mutex);
  const std::size_t bytes = line.size() + 1;
  if (state_->finishing || bytes > kMaxLineBytes ||
      state_->waiting.size() + bytes > kMaxBytes) {
    ++state_->dropped;
    return;
  }
  state_->waiting += line;  // never allocates: capacity was reserved
  state_->waiting += '\n';
  ++state_->lines;
  state_->changed.notify_all();
}

std::uint64_t LineOutput::dropped() const noexcept { return state_->dropped; }

void LineOutput::finish(std::chrono::milliseconds timeout) noexcept {
  std::unique_lock lock(state_->mutex);
  state_->finishing = true;
  state_->changed.notify_all();
  state_->changed.wait_for(lock, timeout,
                           [this] { return state_->lines == 0; });
  state_->dropped += state_->lines;
  state_->lines = 0;
  state_->waiting.clear();
  state_->gave_up.notify_all();
}

}  // namespace traced
