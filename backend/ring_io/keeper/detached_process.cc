#include "ring_io/keeper/detached_process.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace traced {
namespace {

// An intermediate process between the caller and the program ends at once. The
// program's parent is therefore the reaper of orphans.
//
// Both run one after the other in the caller's memory until the program is
// loaded. They use their own stacks, and the calling thread is suspended. They
// must not take locks or allocate memory.

constexpr std::size_t kStackBytes = std::size_t{64} << 10;
constexpr int kHandedOn = 3;
constexpr unsigned int kOutOfTheWay = 4;
// Signals that a terminal, launcher or scheduler sends to all processes of a
// job.
constexpr int kIgnored[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE,
                            SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2};

struct DetachedStart {
  char* const* words;
  char* const* variables;
  int stderr_fd;
  int inherited_fd;
  char* program_stack;
  int error;
};

void setSignals() {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) {
    sigaction(number, &action, nullptr);
  }
  action.sa_handler = SIG_IGN;
  for (const int number : kIgnored) sigaction(number, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// First moves all descriptors above the target numbers, then duplicates them to
// their targets.
bool setDescriptors(const DetachedStart& start) {
  const int nothing = open("/dev/null", O_RDWR);
  const int away = fcntl(nothing, F_DUPFD, kOutOfTheWay);
  int inherited_fd = fcntl(start.inherited_fd, F_DUPFD, kOutOfTheWay);
  int stderr_fd = fcntl(start.stderr_fd, F_DUPFD, kOutOfTheWay);
  if (stderr_fd < 0) stderr_fd = away;
  if (inherited_fd < 0) inherited_fd = away;
  const bool done = dup2(away, 0) == 0 && dup2(away, 1) == 1 &&
                    dup2(stderr_fd, 2) == 2 &&
                    dup2(inherited_fd, kHandedOn) == kHandedOn;
  if (start.inherited_fd < 0) close(kHandedOn);
#ifdef SYS_close_range
  syscall(SYS_close_range, kOutOfTheWay, ~0U, 0);
#endif
  return done;
}

[[gnu::no_sanitize("address", "thread", "undefined")]] int runProgram(
    void* argument) {
  auto* start = static_cast<DetachedStart*>(argument);
  setsid();
  setSignals();
  if (chdir("/") == 0 && setDescriptors(*start)) {
    execve(start->words[0], start->words, start->variables);
  }
  start->error = errno;
  _exit(127);
}

[[gnu::no_sanitize("address", "thread", "undefined")]] int runBetween(
    void* argument) {
  auto* start = static_cast<DetachedStart*>(argument);
  const pid_t program = clone(runProgram, start->program_stack,
                              CLONE_VM | CLONE_VFORK | SIGCHLD, argument);
  if (program < 0) start->error = errno;
  _exit(0);
}

// A child without an exit signal is invisible to wait(), unless the caller uses
// __WALL or __WCLONE.
void runAndReap(DetachedStart& start, char* stack) {
  const pid_t between =
      clone(runBetween, stack, CLONE_VM | CLONE_VFORK | 0, &start);
  if (between < 0) {
    start.error = errno;
    return;
  }
  while (waitpid(between, nullptr, __WALL) < 0 && errno == EINTR) {
  }
}

// Blocks all signals and cancellation. A signal handler of the job must not run
// in a process that shares its memory.
class NothingInterrupts {
 public:
  NothingInterrupts() {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state_);
    // Includes the signals that glibc reserves for itself.
    const std::uint64_t all = ~std::uint64_t{0};
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before_, sizeof all);
  }
  ~NothingInterrupts() {
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before_, nullptr, sizeof before_);
    pthread_setcancelstate(state_, nullptr);
  }
  NothingInterrupts(const NothingInterrupts&) = delete;
  NothingInterrupts& operator=(const NothingInterrupts&) = delete;

 private:
  int state_ = 0;
  std::uint64_t before_ = 0;
};

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

int startDetached(const DetachedProcess& process) {
  std::vector<std::string> words = process.words;
  std::vector<std::string> variables = process.variables;
  const std::vector<char*> word_pointers = pointersTo(words);
  const std::vector<char*> variable_pointers = pointersTo(variables);
  void* const memory = mmap(nullptr, 2 * kStackBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return errno;
  // Stacks grow down.
  char* const program_stack = static_cast<char*>(memory) + kStackBytes;
  DetachedStart start{word_pointers.data(), variable_pointers.data(),
                      process.stderr_fd,    process.inherited_fd,
                      program_stack,        0};
  {
    const NothingInterrupts quiet;
    runAndReap(start, program_stack + kStackBytes);
  }
  munmap(memory, 2 * kStackBytes);
  return start.error;
}

}  // namespace traced
