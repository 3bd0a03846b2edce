// SignalsBlocked keeps signals from a thread for a while, and from the threads
// that it starts meanwhile for good: the job's signals are the business of the
// job's threads. But for SIGBUS, which is a fault of the thread's own: the
// kernel kills a process that blocks it, whatever handler there is (RingGuard).

#pragma once

#include <pthread.h>
#include <signal.h>

namespace traced {

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

}  // namespace traced
