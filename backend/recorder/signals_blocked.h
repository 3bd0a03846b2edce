// SignalsBlocked keeps signals from a thread for a while, and from the threads
// that it starts meanwhile for good: the job's signals are the business of the
// job's threads.

#pragma once

#include <pthread.h>
#include <signal.h>

namespace traced {

class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace traced
