// AbortedCommunicators knows which communicators were aborted. An abort lets
// the streams go on past operations that came to nothing: what is seen of them
// from then on is no end.
//
// Thread safety: all from any thread.

#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_set>

namespace traced {

// A group has one at a time. Numbers are never used twice.
using CommunicatorId = std::uint32_t;

class AbortedCommunicators {
 public:
  // Before the abort begins.
  void add(CommunicatorId communicator) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      aborted_.insert(communicator);
    } catch (...) {  // no memory: then it may be any
      all_ = true;
    }
    any_.store(true);
  }

  // Asked after something was seen: so what an abort caused is known as such.
  bool contains(CommunicatorId communicator) const noexcept {
    if (!any_.load()) return false;
    const std::lock_guard lock(mutex_);
    return all_ || aborted_.contains(communicator);
  }

 private:
  std::atomic<bool> any_{false};
  mutable std::mutex mutex_;
  std::unordered_set<CommunicatorId> aborted_;
  bool all_ = false;
};

}  // namespace traced
