// EventPool holds the events for device times. A span, which is two events,
// cycles through these steps: taken by a caller, recorded on a stream,
// submitted, resolved by the device thread, given back.
//
// Thread safety: take(), submit() and giveBack() from any thread; fill(),
// nextSubmitted() and ranDry() from the device thread.

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
  // Result of the last query of the stream.
  enum class EventState : std::uint8_t { kNone, kPending, kReached, kRefused };

  DeviceEvents::Event first = nullptr;
  DeviceEvents::Event last = nullptr;
  DeviceEvents::Stream stream = nullptr;
  bool has_first = false;
  bool is_wait = false;
  EventState state = EventState::kNone;
  CommunicatorId communicator = 0;
  // Host times before the first and the latest query that found this span to be
  // the next unreached one of its stream. 0: no such query.
  std::int64_t first_pending_ns = 0;
  std::int64_t pending_ns = 0;
  OpId op = kLostOp;
  WaitRecord wait{};  // set for a wait
};

class EventPool {
 public:
  static constexpr std::size_t kSpans = 1024;

  // Creates the events. Returns false if the device provided none.
  bool fill(DeviceEvents& events) noexcept {
    for (std::uint32_t i = 0; i < kSpans; ++i) {
      spans_[i].first = events.create();
      spans_[i].last = events.create();
      if (!spans_[i].first || !spans_[i].last) return i > 0;
      free_.push(i);
    }
    return true;
  }

  // Returns nullptr if all spans are in use.
  DeviceSpan* take() noexcept {
    DeviceSpan* const span = at(free_.pop());
    if (!span) ran_dry_.store(true, std::memory_order_relaxed);
    return span;
  }
  // Returns whether take() failed since the previous call of ranDry().
  bool ranDry() noexcept {
    return ran_dry_.load(std::memory_order_relaxed) &&
           ran_dry_.exchange(false, std::memory_order_relaxed);
  }
  // Returns a span to the pool. Its events may be reused at once.
  void giveBack(DeviceSpan* span) noexcept { free_.push(indexOf(span)); }

  // Never full: both queues have room for every span.
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
