#include "analysis/stream/process_end.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace traced {
namespace {

// Linux signal numbers from 1 on. sigabbrev_np() exists only in newer
// libraries.
constexpr std::array<const char*, 31> kSignals = {
    "HUP",  "INT",    "QUIT", "ILL",   "TRAP", "ABRT", "BUS",  "FPE",
    "KILL", "USR1",   "SEGV", "USR2",  "PIPE", "ALRM", "TERM", "STKFLT",
    "CHLD", "CONT",   "STOP", "TSTP",  "TTIN", "TTOU", "URG",  "XCPU",
    "XFSZ", "VTALRM", "PROF", "WINCH", "POLL", "PWR",  "SYS"};

// Returns whether operations follow the exception: then it was caught later, as
// in an interactive session, and did not end the process.
bool wentOn(const StreamTable& table, std::uint64_t position) {
  return std::any_of(
      table.operations.rbegin(), table.operations.rend(),
      [position](const AssembledOperation& op) { return op.id > position; });
}

// Moves the interrupted line, appended by python/traced/_torch/endings.py, from
// the exception's text to `interrupted_at`.
void takeInterruptedLine(ProcessEnd& end) {
  constexpr std::string_view kFile = "\n  File \"";
  constexpr std::string_view kLine = "\", line ";
  const std::size_t at = end.exception.rfind(kFile);
  if (!end.wasInterrupted() || at == std::string::npos) return;
  std::string place = end.exception.substr(at + kFile.size());
  end.exception.resize(at);
  const std::size_t line = place.find(kLine);
  if (line == std::string::npos) return;
  place.replace(line, kLine.size(), ":");
  if (const std::size_t comma = place.find(", in "); comma > line) {
    place = place.replace(comma, 1, "");
  }
  end.interrupted_at = place.substr(0, place.find('\n'));
}

void takeExceptions(const StreamTable& table, ProcessEnd& end) {
  end.exception = table.process_end.exception();
  const Marks::Event* last = nullptr;
  for (const Marks::Event& event : table.marks.events()) {
    if (event.kind != v1::MARK_KIND_EXCEPTION) continue;
    const std::string* text = table.definitions.text(event.text);
    if (!event.text || !text) continue;
    if (event.value == 0) {
      last = &event;
    } else {
      end.thread_exception = *text;
    }
  }
  if (!last || wentOn(table, last->position)) return;
  end.exception = *table.definitions.text(last->text);
  end.raised = last->at;
}

EndKind kindOf(const StreamTable& table, const ProcessEnd& end) {
  if (end.signal != 0) return EndKind::kKilled;
  if (end.exit_code == 0u) return EndKind::kInOrder;
  if (!end.exception.empty()) return EndKind::kRaised;
  if (end.exit_code) return EndKind::kExited;
  if (table.closed) return EndKind::kInOrder;
  return table.accounts.recovered() ? EndKind::kDied : EndKind::kUnknown;
}

// Returns whether a process causes the signal by its own actions.
bool isCrash(std::uint32_t signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGABRT:
    case SIGSYS:
      return true;
    default:
      return false;
  }
}

// Returns at most `bytes` bytes of the text, in whole characters.
std::string upTo(const std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 &&
         (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) {
    --bytes;
  }
  return text.substr(0, bytes);
}

}  // namespace

const char* nameOf(EndKind kind) {
  switch (kind) {
    case EndKind::kUnknown:
      return "unknown";
    case EndKind::kInOrder:
      return "in_order";
    case EndKind::kRaised:
      return "raised";
    case EndKind::kExited:
      return "exited";
    case EndKind::kKilled:
      return "killed";
    case EndKind::kDied:
      return "died";
  }
  return "unknown";
}

bool ProcessEnd::wasInterrupted() const {
  return kind == EndKind::kRaised &&
         absl::StartsWith(exception, "KeyboardInterrupt");
}

bool ProcessEnd::wasKilled() const {
  return kind == EndKind::kKilled && !oom_killed && !isCrash(signal);
}

bool ProcessEnd::mayBeConsequence() const {
  return wasInterrupted() || wasKilled() || signal == SIGABRT;
}

bool ProcessEnd::failed() const {
  switch (kind) {
    case EndKind::kRaised:
      return !wasInterrupted();
    case EndKind::kExited:
      return true;
    case EndKind::kKilled:
    case EndKind::kDied:
      return oom_killed || isCrash(signal);
    default:
      return false;
  }
}

ProcessEnd processEndOf(const StreamTable& table) {
  ProcessEnd end;
  const v1::ProcessEnd& seen = table.process_end;
  if (seen.has_exit_code()) end.exit_code = seen.exit_code();
  end.signal = seen.signal();
  end.oom_killed = seen.oom_killed();
  takeExceptions(table, end);
  end.kind = kindOf(table, end);
  takeInterruptedLine(end);
  if (end.signal != 0 && seen.seen_ns() > 0) {
    end.signal_seen = Instant(seen.seen_ns());
  }
  return end;
}

std::string ProcessEnd::exceptionLine() const {
  constexpr std::size_t kMaxBytes = 400;
  std::string line = upTo(exception.substr(0, exception.find('\n')), kMaxBytes);
  while (!line.empty() && (line.back() == '.' || line.back() == ' ')) {
    line.pop_back();
  }
  return line;
}

bool endedAlike(const ProcessEnd& a, const ProcessEnd& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case EndKind::kRaised:
      return a.exceptionLine() == b.exceptionLine();
    case EndKind::kExited:
      return a.exit_code == b.exit_code;
    case EndKind::kKilled:
      return a.signal == b.signal && a.oom_killed == b.oom_killed;
    case EndKind::kDied:
      return a.oom_killed == b.oom_killed;
    default:
      return true;
  }
}

std::string signalName(std::uint32_t signal) {
  return signal >= 1 && signal <= kSignals.size()
             ? absl::StrCat("SIG", kSignals[signal - 1])
             : absl::StrCat("signal ", signal);
}

}  // namespace traced
