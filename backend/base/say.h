// say writes a line of words to stderr, as "traced: WORDS". All words that the
// tracer has for a person go this way, because a job must not wait for its log:
// - nothing waits where nobody reads: the line is then lost;
// - stdio has no part in it, whose lock a thread that waits holds for ever;
// - a reader that has gone is no SIGPIPE, a terminal of others no SIGTTOU;
// - a line is written at once, so that those of several processes do not mix.
//
// A file is written to as files are. Thread safety: any thread.

#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace traced {

// A line with its end; so much a pipe takes whole or not at all.
inline constexpr std::size_t kMaxMessageBytes = 4096;

// The parts make up the sentence; what is beyond kMaxMessageBytes is cut, and
// control characters are '?'. Leaves errno as it is.
void say(std::initializer_list<std::string_view> parts) noexcept;
inline void say(std::string_view sentence) noexcept { say({sentence}); }

// The process began without a stderr: its descriptor is closed, or by now a
// file of the program's, which no words may go to.
void forgetStderr() noexcept;
bool hasStderr() noexcept;

}  // namespace traced
