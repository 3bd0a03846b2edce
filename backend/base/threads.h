// Utilities for starting threads.

#pragma once

#include <pthread.h>
#include <signal.h>

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <functional>

namespace traced {

// Names the calling thread (at most 15 characters) and makes the C++ runtime
// allocate its exception state. Every thread of the recorder calls it first.
// Without this, the C library would abort the process if the first exception
// occurs while memory is exhausted.
inline void beginThread(const char* name) noexcept {
  constexpr std::size_t kProbeBytes = 4096;
  pthread_setname_np(pthread_self(), name);
  void* volatile probe = std::malloc(kProbeBytes);
  if (!probe) return;
  std::free(probe);
  // Volatile, because the compiler may drop the result of a pure function.
  volatile int exceptions = std::uncaught_exceptions();
  static_cast<void>(exceptions);
}

// SignalsBlocked blocks all signals except SIGBUS in the calling thread while
// it exists. Threads started meanwhile inherit the mask for good, so that only
// the job's own threads handle the job's signals.
//
// SIGBUS stays unblocked because it is synchronous: the kernel kills a process
// that blocks it, even if a handler exists (RingGuard).
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

// Calls work(i) for each i below `threads`, which must be at least 1: work(0)
// in this thread, every other in a thread of its own. Blocks until all calls
// have returned. If calls threw, rethrows the exception of the lowest i. Throws
// std::system_error if a thread cannot be started; work(0) is then not called.
void inThreads(std::size_t threads,
               const std::function<void(std::size_t)>& work);

}  // namespace traced
