// Completions matches a backend's operations with the completions that its hook
// reports, by a key that both share.
//
// Thread safety: any thread. The hook runs on a thread of the backend.

#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "recorder/recorder.h"

namespace traced {

class Completions {
 public:
  explicit Completions(Recorder& recorder) : recorder_(recorder) {}

  // Registers an operation whose Work has this key and that was issued at
  // `issue_ns`. Its completion may already have been reported.
  void issued(std::uint64_t key, OpId op, std::int64_t issue_ns) noexcept;

  // Records the end of the operation with this key. `engine_ns_plus_1` is the
  // engine's own duration plus 1, or 0 if it reports none.
  void completed(std::uint64_t key, std::int64_t end_ns,
                 std::uint64_t engine_ns_plus_1 = 0) noexcept;

  // Maximum number of operations that wait for a completion. Failed operations
  // never complete, so older ones are discarded and their ends stay unobserved.
  // At least half as many of the newest are kept.
  static constexpr std::size_t kMaxPending = 65536;

 private:
  struct Early {
    std::uint64_t key;
    std::int64_t end_ns;
    std::uint64_t engine_ns_plus_1;
  };

  using Pending = std::unordered_map<std::uint64_t, OpId>;

  void remember(std::uint64_t key, OpId op);
  bool takePending(Pending& pending, std::uint64_t key, OpId& op) noexcept;
  bool takeEarly(std::uint64_t key, std::int64_t issue_ns,
                 Early& taken) noexcept;
  void recordEnd(OpId op, const Early& end) noexcept;

  Recorder& recorder_;
  std::mutex mutex_;
  // The newer half of the pending operations, and the older half.
  Pending young_, old_;
  // Completions reported before issued(), and those of calls without a Work,
  // such as synchronous ones. The latest few are enough.
  std::array<Early, 64> early_{};
  std::size_t next_early_ = 0;
};

}  // namespace traced
