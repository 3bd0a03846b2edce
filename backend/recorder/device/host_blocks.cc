#include "recorder/device/host_blocks.h"

#include <new>

namespace traced {

void HostBlocks::set(char* memory, std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  memory_ = memory;
  bytes_ = memory ? bytes : 0;
}

char* HostBlocks::take(std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  if (bytes > bytes_) return nullptr;
  const std::size_t needed = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  std::size_t begin = 0;
  for (const auto& [used_begin, used_end] : used_) {
    if (used_begin - begin >= needed) break;
    begin = used_end;
  }
  if (begin > bytes_ || bytes_ - begin < needed) return nullptr;
  try {
    used_.emplace(begin, begin + needed);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return memory_ + begin;
}

void HostBlocks::giveBack(char* block) noexcept {
  const std::lock_guard lock(mutex_);
  used_.erase(static_cast<std::size_t>(block - memory_));
}

}  // namespace traced
