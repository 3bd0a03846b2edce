// Makes each asynchronous call of Gloo take TEST_OWN_CALL_NS longer for its
// caller, below everything that records it. Each call reads the variable.

#include <dlfcn.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>

// torch's Gloo backend passes each operation to its workers with this call, on
// the calling thread: the main thread in the tests' programs. Its workers
// notify on their own threads. The delay begins after the worker was notified.
// It sleeps, because computing would take the worker's core and make the
// transfer longer.
extern "C" void slowNotifyOne(std::condition_variable* waiting) noexcept
    __asm__("_ZNSt18condition_variable10notify_oneEv");

void slowNotifyOne(std::condition_variable* waiting) noexcept {
  using Notify = void (*)(std::condition_variable*);
  static const auto notify = reinterpret_cast<Notify>(
      dlsym(RTLD_NEXT, "_ZNSt18condition_variable10notify_oneEv"));
  notify(waiting);
  const char* longer_ns = std::getenv("TEST_OWN_CALL_NS");
  if (!longer_ns || gettid() != getpid()) return;
  // By default, the kernel may add 50 us to a sleep.
  prctl(PR_SET_TIMERSLACK, 1UL);
  const timespec longer = {0, std::atol(longer_ns)};
  nanosleep(&longer, nullptr);
}
