// A point in a stream, done once the stream has reached it.

#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace simulated {

using Clock = std::chrono::steady_clock;

class Marker {
 public:
  void finish() {
    const std::lock_guard lock(mutex_);
    at_ = Clock::now();
    done_ = true;
    reached_.notify_all();
  }

  bool done() {
    const std::lock_guard lock(mutex_);
    return done_;
  }

  void wait() {
    std::unique_lock lock(mutex_);
    reached_.wait(lock, [this] { return done_; });
  }

  // Returns the time at which it was done. Requires done().
  Clock::time_point at() {
    const std::lock_guard lock(mutex_);
    return at_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable reached_;
  bool done_ = false;
  Clock::time_point at_;
};

}  // namespace simulated
