#include "c10d/program/own_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

namespace traced {
namespace {

constinit thread_local int memory_file = -1;

}  // namespace

OwnMemory::OwnMemory() noexcept
    : before_(std::exchange(memory_file,
                            open("/proc/self/mem", O_RDONLY | O_CLOEXEC))) {}

OwnMemory::~OwnMemory() {
  const int error = errno;
  if (memory_file >= 0) close(memory_file);
  memory_file = before_;
  errno = error;
}

bool copyMemory(const void* from, void* to, std::size_t bytes) noexcept {
  if (!from || memory_file < 0) return false;
  const int error = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(from);
  const ssize_t copied =
      pread(memory_file, to, bytes, static_cast<off_t>(address));
  errno = error;
  return copied >= 0 && static_cast<std::size_t>(copied) == bytes;
}

bool canCopyMemory() noexcept {
  const OwnMemory memory;
  const int from = 1;
  int to = 0;
  return copyObject(&from, to) && to == from;
}

}  // namespace traced
