// A Gloo that takes longer of its caller: TEST_OWN_CALL_NS more of each
// asynchronous call, below all that records it. Read at every call.

#include <dlfcn.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>

// torch's Gloo backend gives each operation to its workers by this, on the
// thread that calls, which is the main thread of the tests' programs; its
// workers notify on theirs. The call sleeps when the worker has begun: where it
// computed, it would take the worker's core, and the transfer be longer, too.
extern "C" void slowNotifyOne(std::condition_variable* waiting) noexcept
    __asm__("_ZNSt18condition_variable10notify_oneEv");

void slowNotifyOne(std::condition_variable* waiting) noexcept {
  using Notify = void (*)(std::condition_variable*);
  static const auto notify = reinterpret_cast<Notify>(
      dlsym(RTLD_NEXT, "_ZNSt18condition_variable10notify_oneEv"));
  notify(waiting);
  const char* longer_ns = std::getenv("TEST_OWN_CALL_NS");
  if (!longer_ns || gettid() != getpid()) return;
  // Of the 50 us that the kernel may add to a sleep, 1 ns.
  prctl(PR_SET_TIMERSLACK, 1UL);
  const timespec longer = {0, std::atol(longer_ns)};
  nanosleep(&longer, nullptr);
}
