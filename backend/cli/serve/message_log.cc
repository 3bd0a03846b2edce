#include "cli/serve/message_log.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "phrasing/text.h"

namespace traced {
namespace {

// Writes to stderr. Returns false on failure. SIGPIPE is blocked in this
// thread.
bool writeAll(std::string_view text) {
  while (!text.empty()) {
    const ssize_t bytes = ::write(STDERR_FILENO, text.data(), text.size());
    if (bytes > 0) {
      text.remove_prefix(static_cast<std::size_t>(bytes));
    } else if (bytes < 0 && errno == EAGAIN) {
      pollfd ready{STDERR_FILENO, POLLOUT, 0};
      if (poll(&ready, 1, -1) < 0 && errno != EINTR) return false;
    } else if (bytes == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

struct MessageLog::State {
  std::atomic<std::size_t> pending_bytes{0};
  std::atomic<std::uint64_t> dropped{0};
  // The number of dropped lines that the log has reported.
  std::atomic<std::uint64_t> reported{0};

  void write(const std::string& line) {
    const std::uint64_t now = dropped;
    const std::uint64_t before = reported.exchange(now);
    std::string text;
    if (now > before) {
      text = absl::StrCat("tracectl: ", countOf(now - before, "message"),
                          " dropped: stderr took no more\n");
    }
    absl::StrAppend(&text, line, "\n");
    if (!writeAll(text)) ++dropped;
    pending_bytes -= line.size();
  }
};

MessageLog::MessageLog()
    : state_(std::make_shared<State>()), background_(kMaxPendingLines) {}

void MessageLog::write(const std::string& line) {
  if (state_->pending_bytes + line.size() > kMaxPendingBytes) {
    ++state_->dropped;
    return;
  }
  state_->pending_bytes += line.size();
  if (background_.post([state = state_, line] { state->write(line); })) return;
  state_->pending_bytes -= line.size();
  ++state_->dropped;
}

std::uint64_t MessageLog::dropped() const { return state_->dropped; }

void MessageLog::finish(std::chrono::nanoseconds timeout) {
  background_.finish(timeout);
}

}  // namespace traced
