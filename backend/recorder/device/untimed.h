// Untimed counts, by reason, the operations and waits that lack the device
// times they should have.
//
// Thread safety: any thread.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace traced {

class Untimed {
 public:
  enum class Reason : std::uint8_t {
    kStarting,  // events were not created yet
    kNoEvent,   // all events were in use
    kRefused,   // the device refused an event
    kStuck,     // its stream was stuck, and others needed the events
    kNoClock,   // its clock was not read accurately enough
    kAborted,   // its group was aborted meanwhile
    kStopped,   // recording ended first
  };
  static constexpr std::size_t kReasons = 7;

  void add(Reason reason, std::uint64_t count = 1) noexcept {
    counts_[static_cast<std::size_t>(reason)].fetch_add(
        count, std::memory_order_relaxed);
  }

  std::uint64_t count(Reason reason) const noexcept {
    return counts_[static_cast<std::size_t>(reason)].load(
        std::memory_order_relaxed);
  }
  std::uint64_t total() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& count : counts_) {
      sum += count.load(std::memory_order_relaxed);
    }
    return sum;
  }

  // Returns the counts as text, such as "3 no free event, 1 recording ended".
  std::string words() const {
    static constexpr const char* kWords[kReasons] = {
        "events not ready",      "no free event",   "refused by the device",
        "device did not answer", "clock not known", "group aborted",
        "recording ended"};
    std::string text;
    for (std::size_t i = 0; i < kReasons; ++i) {
      const std::uint64_t n = counts_[i].load(std::memory_order_relaxed);
      if (n == 0) continue;
      text += (text.empty() ? "" : ", ") + std::to_string(n) + " " + kWords[i];
    }
    return text;
  }

 private:
  std::array<std::atomic<std::uint64_t>, kReasons> counts_{};
};

}  // namespace traced
