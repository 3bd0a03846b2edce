// A Gloo that takes longer of its caller: TEST_OWN_CALL_NS more of each
// asynchronous call, below all that records it. Read at every call.

#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>

namespace {

long nowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

// torch's Gloo backend gives each operation to its workers by this, on the
// thread that calls, which is the main thread of the tests' programs; its
// workers notify on theirs.
extern "C" void slowNotifyOne(std::condition_variable* waiting) noexcept
    __asm__("_ZNSt18condition_variable10notify_oneEv");

void slowNotifyOne(std::condition_variable* waiting) noexcept {
  using Notify = void (*)(std::condition_variable*);
  static const auto notify = reinterpret_cast<Notify>(
      dlsym(RTLD_NEXT, "_ZNSt18condition_variable10notify_oneEv"));
  notify(waiting);
  const char* longer_ns = std::getenv("TEST_OWN_CALL_NS");
  if (!longer_ns || gettid() != getpid()) return;
  const long until = nowNs() + std::atol(longer_ns);
  while (nowNs() < until) {
  }
}
