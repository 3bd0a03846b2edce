#include "ring_io/sinks/memory_sinks.h"

#include <new>
#include <utility>

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

QueueSink::QueueSink(std::string name, std::size_t max_bytes)
    : name_(std::move(name)), max_bytes_(max_bytes) {}

bool QueueSink::append(const std::string& chunk, std::uint64_t records) {
  const std::lock_guard lock(mutex_);
  const bool fits = chunks_.empty() || bytes_ + chunk.size() <= max_bytes_;
  if (closed_ || !fits) {
    ++dropped_chunks_;
    dropped_records_ += records;
    return false;
  }
  chunks_.push_back(chunk);
  bytes_ += chunk.size();
  changed_.notify_one();
  return true;
}

std::optional<std::string> QueueSink::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return closed_ || !chunks_.empty(); });
  if (chunks_.empty()) return std::nullopt;
  std::string chunk = std::move(chunks_.front());
  chunks_.pop_front();
  bytes_ -= chunk.size();
  return chunk;
}

void QueueSink::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

std::uint64_t QueueSink::droppedChunks() const {
  const std::lock_guard lock(mutex_);
  return dropped_chunks_;
}

std::uint64_t QueueSink::droppedRecords() const {
  const std::lock_guard lock(mutex_);
  return dropped_records_;
}

}  // namespace traced
