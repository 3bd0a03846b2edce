// BlockedTime estimates how long the main thread slept uninterruptibly, as it
// does while it waits for storage.

#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "recorder/standstill/small_file.h"

namespace traced {

// Not thread safe.
class BlockedTime {
 public:
  explicit BlockedTime(std::int64_t now_ns);

  // Looks at the main thread. What it does now counts for the time since the
  // previous call, up to kMostNs.
  void observe(std::int64_t now_ns);
  // Same, given the thread's state of proc(5), 0 if unknown, and whether it is
  // in a system call.
  void observe(std::int64_t now_ns, char state, std::optional<bool> in_call);

  // In ns, since the previous call: the time of which it is known what the
  // thread did, and its sleep in system calls and in page faults.
  struct Times {
    std::uint64_t known_ns = 0;
    std::uint64_t in_calls_ns = 0;
    std::uint64_t in_faults_ns = 0;
  };
  Times take() { return std::exchange(times_, Times()); }

  static constexpr std::int64_t kMostNs = 200'000'000;

 private:
  KeptFile stat_;
  std::int64_t observed_ns_;
  Times times_;
};

}  // namespace traced
