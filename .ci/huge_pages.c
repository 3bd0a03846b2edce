// For LD_PRELOAD: gives a compiler its memory in huge pages. GCC maps its heap
// itself, in pieces too small for them, so neither the C library's setting for
// malloc nor the kernel's default reaches it.
//
// Nothing but a build on a slow virtual machine uses it. There a page that is
// touched for the first time, or is not in the TLB, costs microseconds, and
// huge pages make the compiler three times faster.

#define _GNU_SOURCE
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const size_t kReserved = (size_t)16 << 30;  // Address space, not memory.
static const size_t kHugePage = (size_t)2 << 20;
static const size_t kPage = 4096;

static char *reserved;
static atomic_size_t used;

static void *map(void *at, size_t length, int protection, int flags, int file,
                 off_t offset) {
  return (void *)syscall(SYS_mmap, at, length, protection, flags, file, offset);
}

__attribute__((constructor)) static void reserve(void) {
  char *begin = map(NULL, kReserved + kHugePage, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) return;
  begin += -(uintptr_t)begin % kHugePage;
  madvise(begin, kReserved, MADV_HUGEPAGE);
  reserved = begin;
}

void *mmap(void *at, size_t length, int protection, int flags, int file,
           off_t offset) {
  if (reserved && !at && flags == (MAP_PRIVATE | MAP_ANONYMOUS) &&
      protection == (PROT_READ | PROT_WRITE) && length < kReserved) {
    size_t begin =
        atomic_fetch_add(&used, (length + kPage - 1) / kPage * kPage);
    if (begin + length <= kReserved) return reserved + begin;
  }
  return map(at, length, protection, flags, file, offset);
}

// The name that programs built for large files call.
void *mmap64(void *at, size_t length, int protection, int flags, int file,
             off_t offset) {
  return mmap(at, length, protection, flags, file, offset);
}
