// Simulates a busy machine. In all processes, at random,
//
//   a thread begins up to 0.5 s after it was made (one in three),
//   epoll_wait returns up to 60 ms after it was woken (one in 20),
//   write and writev take up to 60 ms longer (one in 25), pwrite up to 0.1 s
//   (one in 10).
//
// A busy machine may do the same, only less often, so no test may fail from it
// (tests/long/delays).

#include <dlfcn.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace {

constexpr std::uint64_t kMs = 1'000'000;  // ns

// Returns the next number of a xorshift per thread. Safe in signal handlers.
std::uint64_t random() {
  static thread_local std::uint64_t state = 0;
  if (state == 0) {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    state = static_cast<std::uint64_t>(now.tv_nsec) << 32 |
            static_cast<std::uint64_t>(syscall(SYS_gettid));
  }
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

void delay(std::uint64_t one_in, std::uint64_t most_ns) {
  if (random() % one_in != 0) return;
  const int error = errno;
  const timespec time = {0, static_cast<long>(random() % most_ns)};
  syscall(SYS_nanosleep, &time, nullptr);
  errno = error;
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

struct Start {
  void* (*function)(void*);
  void* argument;
};

void* begin(void* made) {
  const auto start = static_cast<Start*>(made);
  const Start copy = *start;
  delete start;
  delay(3, 500 * kMs);
  return copy.function(copy.argument);
}

}  // namespace

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                   void* (*function)(void*), void* argument) {
  static const auto create = next<decltype(&pthread_create)>("pthread_create");
  const auto start = new Start{function, argument};
  const int error = create(thread, attributes, begin, start);
  if (error != 0) delete start;
  return error;
}

int epoll_wait(int epoll, epoll_event* events, int most, int timeout_ms) {
  static const auto wait = next<decltype(&epoll_wait)>("epoll_wait");
  const int count = wait(epoll, events, most, timeout_ms);
  delay(20, 60 * kMs);
  return count;
}

ssize_t write(int file, const void* bytes, size_t count) {
  static const auto call = next<decltype(&write)>("write");
  delay(25, 60 * kMs);
  return call(file, bytes, count);
}

ssize_t writev(int file, const iovec* pieces, int count) {
  static const auto call = next<decltype(&writev)>("writev");
  delay(25, 60 * kMs);
  return call(file, pieces, count);
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t offset) {
  static const auto call = next<decltype(&pwrite)>("pwrite");
  delay(10, 100 * kMs);
  return call(file, bytes, count, offset);
}

}  // extern "C"
