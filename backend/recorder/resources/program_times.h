// How long the program spent in garbage collections and in data loading. The
// code that runs the program's hooks writes these sums, the writer reads them.

#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace traced {

// The number of calls of something that runs on one thread at a time, and the
// time in them. begin() and end() need a lock, such as Python's, or one thread.
class TimeSum {
 public:
  // From now on all calls are counted, or not all of them.
  void start() noexcept { started_ = true; }
  void stop() noexcept { started_ = false; }

  void begin(std::int64_t now_ns) noexcept { since_ns_ = now_ns; }
  void end(std::int64_t now_ns) noexcept {
    // Before the sum grows, so that a reader never counts a call twice.
    const std::int64_t since_ns = since_ns_.exchange(0);
    if (since_ns == 0) return;
    ns_ += now_ns - since_ns;
    ++count_;
  }

  std::uint64_t count() const noexcept { return count_; }
  // Includes the part of a call that has not ended. Absent if not all calls are
  // counted. May lack a call that ends at this moment. Any thread.
  std::optional<std::uint64_t> totalNs(std::int64_t now_ns) const noexcept {
    if (!started_) return std::nullopt;
    const std::int64_t ended_ns = ns_;
    const std::int64_t since_ns = since_ns_;
    const std::int64_t running_ns = since_ns != 0 ? now_ns - since_ns : 0;
    return static_cast<std::uint64_t>(ended_ns +
                                      (running_ns > 0 ? running_ns : 0));
  }

 private:
  std::atomic<bool> started_{false};
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::int64_t> ns_{0};
  std::atomic<std::int64_t> since_ns_{0};  // 0: none runs
};

// Garbage collections, and a DataLoader on the main thread.
inline TimeSum collection_time;
inline TimeSum loading_time;

}  // namespace traced
