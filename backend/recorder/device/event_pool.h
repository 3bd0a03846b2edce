// EventPool holds the events that device times are measured with. A span, two
// events, goes around: taken by a caller, recorded on a stream, submitted,
// resolved by the device times' thread, given back.
//
// Thread safety: take(), submit() and giveBack() from any thread; fill() and
// nextSubmitted() and ranDry() from the device times' thread.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "recorder/device/aborted_communicators.h"
#include "recorder/device/device_events.h"
#include "ring_io/ring/record.h"
#include "ring_io/support/index_queue.h"

namespace traced {

struct DeviceSpan {
  // What the last look at its stream found out.
  enum class EventState : std::uint8_t { kNone, kPending, kReached, kRefused };

  DeviceEvents::Event first = nullptr;
  DeviceEvents::Event last = nullptr;
  DeviceEvents::Stream stream = nullptr;
  bool has_first = false;
  bool is_wait = false;
  EventState look = EventState::kNone;
  CommunicatorId communicator = 0;
  // Before the first and the last look that found it the next one of its
  // stream; 0: there was none.
  std::int64_t first_pending_ns = 0;
  std::int64_t pending_ns = 0;
  OpId op = kLostOp;
  WaitRecord wait{};  // of a wait
};

class EventPool {
 public:
  static constexpr std::size_t kSpans = 1024;

  // Creates the events. False if the device gave none.
  bool fill(DeviceEvents& events) noexcept {
    for (std::uint32_t i = 0; i < kSpans; ++i) {
      spans_[i].first = events.create();
      spans_[i].last = events.create();
      if (!spans_[i].first || !spans_[i].last) return i > 0;
      free_.push(i);
    }
    return true;
  }

  // nullptr when all are under way.
  DeviceSpan* take() noexcept {
    DeviceSpan* const span = at(free_.pop());
    if (!span) ran_dry_.store(true, std::memory_order_relaxed);
    return span;
  }
  // Whether there was none to take since this was asked last.
  bool ranDry() noexcept {
    return ran_dry_.load(std::memory_order_relaxed) &&
           ran_dry_.exchange(false, std::memory_order_relaxed);
  }
  void giveBack(DeviceSpan* span) noexcept { free_.push(indexOf(span)); }

  // Both queues have room for every span.
  void submit(DeviceSpan* span) noexcept { submitted_.push(indexOf(span)); }
  DeviceSpan* nextSubmitted() noexcept { return at(submitted_.pop()); }

 private:
  DeviceSpan* at(std::optional<std::uint32_t> index) {
    return index ? &spans_[*index] : nullptr;
  }
  std::uint32_t indexOf(const DeviceSpan* span) const {
    return static_cast<std::uint32_t>(span - spans_.data());
  }

  std::array<DeviceSpan, kSpans> spans_;
  IndexQueue<kSpans> free_;
  IndexQueue<kSpans> submitted_;
  std::atomic<bool> ran_dry_{false};
};

}  // namespace traced
