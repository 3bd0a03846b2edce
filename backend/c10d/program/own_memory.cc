#include "c10d/program/own_memory.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace traced {

bool copyMemory(const void* from, void* to, std::size_t bytes) noexcept {
  if (!from) return false;
  const int error = errno;
  const iovec local{to, bytes};
  const iovec remote{const_cast<void*>(from), bytes};
  const ssize_t copied = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  errno = error;
  return copied >= 0 && static_cast<std::size_t>(copied) == bytes;
}

bool canCopyMemory() noexcept {
  const int from = 1;
  int to = 0;
  return copyObject(&from, to) && to == from;
}

}  // namespace traced
