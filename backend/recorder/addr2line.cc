#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "recorder/symbol_reader.h"

namespace traced {
namespace {

constexpr std::chrono::seconds kDeadline{60};
constexpr int kTurnMs = 50;
constexpr std::size_t kMostCalls = 256;  // of one process
constexpr std::size_t kMostOutput = std::size_t{4} << 20;

// How a process is started: without a copy of this one's memory, which is what
// a fork makes of a job's many gigabytes, with none of its files, signals and
// variables, so that nothing of it (LD_PRELOAD, a server of debug information)
// has a say.
class Start {
 public:
  explicit Start(int output) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_adddup2(&files_, output, 1);  // it may be 0 or 2
    posix_spawn_file_actions_addopen(&files_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files_, 2, "/dev/null", O_WRONLY, 0);
#if __GLIBC_PREREQ(2, 34)
    posix_spawn_file_actions_addclosefrom_np(&files_, 3);
#endif
    posix_spawnattr_init(&attributes_);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~Start() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;

  // Returns an error number.
  int spawn(pid_t& pid, std::vector<std::string>& words) const {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    char locale[] = "LC_ALL=C";
    char* const variables[] = {locale, nullptr};
    return posix_spawnp(&pid, arguments[0], &files_, &attributes_,
                        arguments.data(), variables);
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

// Reads a descriptor until its end; false where that takes too long.
bool readAll(int fd, std::string& text, const std::atomic<bool>& given_up) {
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  char piece[4096];
  while (!given_up && text.size() < kMostOutput &&
         std::chrono::steady_clock::now() < deadline) {
    pollfd place{fd, POLLIN, 0};
    if (poll(&place, 1, kTurnMs) <= 0) continue;
    const ssize_t bytes = ::read(fd, piece, sizeof piece);
    if (bytes == 0) return true;
    if (bytes > 0) text.append(piece, static_cast<std::size_t>(bytes));
    if (bytes < 0 && errno != EINTR) break;
  }
  return false;
}

std::string_view nextLine(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// "/job/layer.cpp:120 (discriminator 2)", "??:?".
void setPlace(v1::Code& call, std::string_view text) {
  text = text.substr(0, text.find(" (discriminator"));
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return;
  const std::string_view digits = text.substr(colon + 1);
  std::uint32_t line = 0;
  const auto [rest, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), line);
  if (error != std::errc{} || line == 0) return;
  setLine(call, text.substr(0, colon), line);
}

class Addr2line final : public SymbolReader {
 public:
  explicit Addr2line(std::string program) : program_(std::move(program)) {}

  void read(const std::string& binary, std::span<v1::Code* const> calls,
            const std::atomic<bool>& given_up) override {
    while (!calls.empty() && !given_up) {
      const auto some = calls.first(std::min(calls.size(), kMostCalls));
      calls = calls.subspan(some.size());
      const std::string answer = ask(binary, some, given_up);
      std::string_view rest = answer;
      for (v1::Code* const call : some) {
        const std::string_view function = nextLine(rest);
        const std::string_view place = nextLine(rest);
        if (function.empty() || function == "??") continue;
        call->set_function(readableName(function));
        setPlace(*call, place);
      }
    }
  }

 private:
  std::string ask(const std::string& binary, std::span<v1::Code* const> calls,
                  const std::atomic<bool>& given_up) {
    std::vector<std::string> words = {program_, "-C", "-f", "-e", binary};
    for (const v1::Code* call : calls) {
      char offset[24];
      std::snprintf(offset, sizeof offset, "0x%llx",
                    static_cast<unsigned long long>(call->offset()));
      words.push_back(offset);
    }
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return "";
    pid_t pid = 0;
    const int error = Start(ends[1]).spawn(pid, words);
    close(ends[1]);
    std::string answer;
    if (error == 0) {
      if (!readAll(ends[0], answer, given_up)) kill(pid, SIGKILL);
      while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
      }
    } else {
      warnOnce(error);
    }
    close(ends[0]);
    return answer;
  }

  void warnOnce(int error) {
    if (std::exchange(warned_, true)) return;
    std::fprintf(stderr,
                 "traced: TRACED_SYMBOLIZE=addr2line: cannot run %s: %s; names "
                 "are those that dladdr has\n",
                 program_.c_str(), std::strerror(error));
  }

  const std::string program_;
  bool warned_ = false;
};

}  // namespace

std::unique_ptr<SymbolReader> addr2lineReader(std::string program) {
  return std::make_unique<Addr2line>(std::move(program));
}

}  // namespace traced
