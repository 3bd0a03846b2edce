// logMessage() writes one line to stderr, as "traced: MESSAGE". Every message
// of the tracer uses it, because a job must never block on its log:
// - if stderr is full because its reader is slow, the line is dropped;
// - it bypasses stdio, whose lock a blocked thread would hold forever;
// - it raises no SIGPIPE if the reader is gone, and no SIGTTOU on a
//   terminal that belongs to another process group;
// - one write per line keeps lines of several processes apart.
//
// Writes to a regular file are ordinary blocking writes. Thread safety: any
// thread.

#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace traced {

// Maximum bytes of a line, including its newline. A pipe takes this many bytes
// atomically (PIPE_BUF).
inline constexpr std::size_t kMaxMessageBytes = 4096;

// Writes the concatenated parts as one line. Cuts it at kMaxMessageBytes and
// replaces control characters by '?'. Preserves errno.
void logMessage(std::initializer_list<std::string_view> parts) noexcept;
inline void logMessage(std::string_view message) noexcept {
  logMessage({message});
}

// Disables logMessage() in a process that started without stderr. Its
// descriptor 2 is closed, or now belongs to a file that the program opened.
void forgetStderr() noexcept;
// Returns false after forgetStderr().
bool hasStderr() noexcept;

}  // namespace traced
