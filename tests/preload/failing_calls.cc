// Logs the tracer's calls to the system, and fails chosen ones.
//
//   TEST_CALLS_OF    part of the path of the library or program whose calls
//                    count; "main" for the program itself. If not set, no call
//                    counts.
//   TEST_CALLS_LOG   file to which a line for each such call is appended: its
//                    process and its name
//   TEST_CALLS_FAIL  CALL:FIRST:LAST:ERRNO;... The calls of this kind from
//   FIRST
//                    to LAST fail with the number ERRNO. FIRST counts from 1.
//                    LAST 0 means all later ones. With ERRNO 0, a write writes
//                    only half. With ERRNO -1, the call never returns.
//   TEST_CALLS_BELOW path below which rename, mkdir and unlink count, whoever
//                    calls them: the C++ library calls them for the tracer
//
// Each call reads all variables, so a process may set them for itself.

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr const char* kCalls[] = {
    "open",   "posix_fallocate", "mmap",   "write", "ftruncate",     "fsync",
    "rename", "flock",           "unlink", "mkdir", "pthread_create"};
std::atomic<int> counts[sizeof kCalls / sizeof *kCalls];

bool isIn(const void* address, const char* part) {
  dl_find_object object;
  if (_dl_find_object(const_cast<void*>(address), &object) != 0) return false;
  const char* name = object.dlfo_link_map->l_name;
  return *name ? std::strstr(name, part) != nullptr
               : std::strcmp(part, "main") == 0;
}

bool isMeant(const void* caller, const char* path) {
  const char* part = std::getenv("TEST_CALLS_OF");
  if (!part) return false;
  const char* below = std::getenv("TEST_CALLS_BELOW");
  return isIn(caller, part) ||
         (path && below && std::strncmp(path, below, std::strlen(below)) == 0);
}

void log(const char* call) {
  const char* path = std::getenv("TEST_CALLS_LOG");
  if (!path) return;
  const long fd = syscall(SYS_openat, AT_FDCWD, path,
                          O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0644);
  char line[48];
  const int bytes = std::snprintf(line, sizeof line, "%d %s\n", getpid(), call);
  syscall(SYS_write, fd, line, bytes);
  syscall(SYS_close, fd);
}

int next(const char* call) {
  for (std::size_t i = 0; i < sizeof kCalls / sizeof *kCalls; ++i) {
    if (std::strcmp(kCalls[i], call) == 0) return ++counts[i];
  }
  std::abort();
}

constexpr int kHangs = -1;
constexpr int kWorks = -2;

// Counts and logs the call. Returns the error that it must report, 0 for a
// short write, or kWorks. Blocks for ever if the call must never return.
int verdict(const char* call, const void* caller, const char* path = nullptr) {
  if (!isMeant(caller, path)) return kWorks;
  const int ordinal = next(call);
  log(call);
  const char* fault = std::getenv("TEST_CALLS_FAIL");
  while (fault && *fault) {
    char name[32];
    int first = 0, last = 0, error = 0;
    if (std::sscanf(fault, "%31[^:]:%d:%d:%d", name, &first, &last, &error) ==
            4 &&
        std::strcmp(name, call) == 0 && ordinal >= first &&
        (last == 0 || ordinal <= last)) {
      while (error == kHangs) pause();
      return error;
    }
    fault = std::strchr(fault, ';');
    if (fault) ++fault;
  }
  return kWorks;
}

// Returns whether the descriptor is a copy of stderr, which the tracer makes
// for its messages.
bool isStderr(int fd) {
  struct stat own, of_stderr;
  return fstat(fd, &own) == 0 && fstat(STDERR_FILENO, &of_stderr) == 0 &&
         own.st_dev == of_stderr.st_dev && own.st_ino == of_stderr.st_ino;
}

template <typename Result, typename... Arguments>
Result plain(long number, Arguments... arguments) {
  return (Result)syscall(number, arguments...);
}

template <typename Result>
Result failed(int error, Result value) {
  errno = error;
  return value;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode =
      flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  const int error = verdict("open", __builtin_return_address(0));
  if (error > 0) return failed(error, -1);
  return plain<int>(SYS_openat, AT_FDCWD, path, flags, mode);
}

int posix_fallocate(int fd, off_t offset, off_t bytes) {
  const int error = verdict("posix_fallocate", __builtin_return_address(0));
  if (error > 0) return error;
  return syscall(SYS_fallocate, fd, 0, offset, bytes) == 0 ? 0 : errno;
}

void* mmap(void* at, std::size_t bytes, int protection, int flags, int fd,
           off_t offset) {
  const int error = verdict("mmap", __builtin_return_address(0));
  if (error > 0) return failed(error, MAP_FAILED);
  return plain<void*>(SYS_mmap, at, bytes, protection, flags, fd, offset);
}

ssize_t write(int fd, const void* from, std::size_t bytes) {
  if (isStderr(fd)) return plain<ssize_t>(SYS_write, fd, from, bytes);
  const int error = verdict("write", __builtin_return_address(0));
  if (error > 0) return failed<ssize_t>(error, -1);
  if (error == 0) bytes = (bytes + 1) / 2;
  return plain<ssize_t>(SYS_write, fd, from, bytes);
}

int ftruncate(int fd, off_t bytes) noexcept {
  const int error = verdict("ftruncate", __builtin_return_address(0));
  if (error > 0) return failed(error, -1);
  return plain<int>(SYS_ftruncate, fd, bytes);
}

int fsync(int fd) {
  const int error = verdict("fsync", __builtin_return_address(0));
  if (error > 0) return failed(error, -1);
  return plain<int>(SYS_fsync, fd);
}

int rename(const char* from, const char* to) noexcept {
  const int error = verdict("rename", __builtin_return_address(0), from);
  if (error > 0) return failed(error, -1);
  return plain<int>(SYS_rename, from, to);
}

int flock(int fd, int operation) noexcept {
  const int error = verdict("flock", __builtin_return_address(0));
  if (error > 0) return failed(error, -1);
  return plain<int>(SYS_flock, fd, operation);
}

int unlink(const char* path) noexcept {
  const int error = verdict("unlink", __builtin_return_address(0), path);
  if (error > 0) return failed(error, -1);
  return plain<int>(SYS_unlink, path);
}

int mkdir(const char* path, mode_t mode) noexcept {
  const int error = verdict("mkdir", __builtin_return_address(0), path);
  if (error > 0) return failed(error, -1);
  return plain<int>(SYS_mkdir, path, mode);
}

// For std::thread the C++ library is the caller. The object that it passes then
// shows the real caller by its class.
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                   void* (*run)(void*), void* argument) noexcept {
  static const auto real = reinterpret_cast<decltype(&pthread_create)>(
      dlsym(RTLD_NEXT, "pthread_create"));
  const bool by_library = isIn(reinterpret_cast<void*>(run), "libstdc++");
  const int error =
      by_library ? verdict("pthread_create", *static_cast<void**>(argument))
                 : kWorks;
  return error > 0 ? error : real(thread, attributes, run, argument);
}

}  // extern "C"
