// What threads do first, and together.

#pragma once

#include <pthread.h>
#include <signal.h>

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <functional>

namespace traced {

// For each thread of the recorder, first: names the thread, and has the C++
// runtime allocate what its first exception would need. Without memory the C
// library ends the process there, also where std::bad_alloc is caught.
inline void beginThread(const char* name) noexcept {
  constexpr std::size_t kMoreThanThat = 4096;
  pthread_setname_np(pthread_self(), name);
  void* volatile probe = std::malloc(kMoreThanThat);
  if (!probe) return;
  std::free(probe);
  // A pure function, which the compiler may leave out.
  volatile int exceptions = std::uncaught_exceptions();
  static_cast<void>(exceptions);
}

// SignalsBlocked keeps signals from a thread for a while, and from the threads
// that it starts meanwhile for good: the job's signals are the business of the
// job's threads. But for SIGBUS, which is a fault of the thread's own: the
// kernel kills a process that blocks it, whatever handler there is (RingGuard).
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// Calls work(i) for each i below `threads`, which is above 0: work(0) in this
// thread, each other in one of its own. Returns when all have; if any of them
// threw, throws what the first of these did.
void inThreads(std::size_t threads,
               const std::function<void(std::size_t)>& work);

}  // namespace traced
