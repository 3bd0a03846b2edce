// How far all threads are that index files.

#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>

#include "analysis/reading/trace_set.h"

namespace traced {

// Thread safe once it has a total. It is told only in the thread that made it.
class IndexProgress {
 public:
  explicit IndexProgress(ReadProgress told) : told_(std::move(told)) {}

  bool isTold() const { return told_ != nullptr; }
  void setTotal(std::uint64_t bytes) { total_ = bytes; }
  void add(std::uint64_t bytes) {
    const std::uint64_t done = done_ += bytes;
    if (told_ && teller_ == std::this_thread::get_id()) told_(done, total_);
  }

 private:
  const ReadProgress told_;
  const std::thread::id teller_ = std::this_thread::get_id();
  std::uint64_t total_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
};

}  // namespace traced
