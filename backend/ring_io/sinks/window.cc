#include "ring_io/sinks/window.h"

#include <new>

namespace traced {

bool Window::append(const std::string& chunk, std::uint64_t) {
  if (max_bytes_ == 0) return true;
  const std::lock_guard lock(mutex_);
  while (!chunks_.empty() && bytes_ + chunk.size() > max_bytes_) {
    bytes_ -= chunks_.front().size();
    chunks_.pop_front();
  }
  try {
    chunks_.push_back(chunk);
  } catch (const std::bad_alloc&) {
    return false;
  }
  bytes_ += chunk.size();
  return true;
}

std::string Window::content() const {
  const std::lock_guard lock(mutex_);
  std::string all;
  all.reserve(bytes_);
  for (const std::string& chunk : chunks_) all += chunk;
  return all;
}

}  // namespace traced
