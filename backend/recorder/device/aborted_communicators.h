// AbortedCommunicators tracks which communicators were aborted. After an abort,
// streams continue past operations that never finished, so events reached from
// then on prove no end.
//
// Thread safety: any thread.

#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_set>

namespace traced {

// A group has one communicator at a time. Ids are never reused.
using CommunicatorId = std::uint32_t;

class AbortedCommunicators {
 public:
  // Call it before the abort begins.
  void add(CommunicatorId communicator) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      aborted_.insert(communicator);
    } catch (...) {  // no memory: treat every communicator as aborted
      all_ = true;
    }
    any_.store(true);
  }

  // Call it after observing an event, so that an event caused by an abort is
  // recognized.
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
