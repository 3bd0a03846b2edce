// Completions brings together the operations of a backend and what its
// completion hook says of them, by the key that both know.
//
// Thread safety: all from any thread; the hook runs on the backend's own.

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

  // The backend gave out a Work with this key for an operation that was issued
  // at issue_ns. It may have completed already.
  void issued(std::uint64_t key, OpId op, std::int64_t issue_ns) noexcept;

  // The backend says that the operation with this key has completed, and how
  // long the engine took, plus 1; 0 if it does not say.
  void completed(std::uint64_t key, std::int64_t end_ns,
                 std::uint64_t engine_ns_plus_1 = 0) noexcept;

  // Of failed operations nothing is ever heard: so many are remembered at most,
  // and at least half as many of the latest. The ends of older ones stay
  // unobserved.
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
  void tell(OpId op, const Early& end) noexcept;

  Recorder& recorder_;
  std::mutex mutex_;
  // Those that came later, and those before them.
  Pending young_, old_;
  // What completed before its caller returned, and what was given to no caller
  // (a synchronous call has no Work): the latest few are enough.
  std::array<Early, 64> early_{};
  std::size_t next_early_ = 0;
};

}  // namespace traced
