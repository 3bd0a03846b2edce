#include "nccl/segment.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

namespace simulated {

bool Segment::map(const std::string& name, int ranks) {
  ranks_ = ranks;
  size_ = sizeof(Shared) + sizeof(ByteRing) * static_cast<std::size_t>(ranks) *
                               static_cast<std::size_t>(ranks);
  const int file = shm_open(name.c_str(), O_RDWR | O_CREAT, 0600);
  if (file < 0) return false;
  void* at = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(size_)) == 0) {
    at = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  if (at == MAP_FAILED) return false;
  shared_ = static_cast<Shared*>(at);
  return true;
}

Segment::~Segment() {
  if (shared_) munmap(shared_, size_);
}

void Segment::ringBell(int rank) const {
  ++shared_->bell[rank];
  syscall(SYS_futex, &shared_->bell[rank], FUTEX_WAKE, INT_MAX, nullptr,
          nullptr, 0);
}

void Segment::awaitBell(int rank, std::uint32_t seen) const {
  const timespec at_most{0, 10'000'000};
  syscall(SYS_futex, &shared_->bell[rank], FUTEX_WAIT, seen, &at_most, nullptr,
          0);
}

}  // namespace simulated
