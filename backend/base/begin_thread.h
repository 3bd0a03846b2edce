// What each thread of the recorder does first.

#pragma once

#include <pthread.h>

#include <cstdlib>
#include <exception>

namespace traced {

// Names the thread, and has the C++ runtime allocate what its first exception
// would need. Without memory the C library ends the process there, also where
// std::bad_alloc is caught.
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

}  // namespace traced
