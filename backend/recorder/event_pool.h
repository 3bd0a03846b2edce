// EventPool holds the events that device times are measured with. A span, two
// events, goes around: taken by a caller, recorded on a stream, submitted,
// resolved by the device times' thread, given back.
//
// Thread safety: take(), submit() and giveBack() from any thread; fill() and
// nextSubmitted() from the device times' thread.

#pragma once

#include <array>
#include <cstdint>

#include "recorder/device_events.h"
#include "recorder/index_queue.h"
#include "recorder/record.h"

namespace traced {

struct DeviceSpan {
  DeviceEvents::Event first = nullptr;
  DeviceEvents::Event last = nullptr;
  DeviceEvents::Stream stream = nullptr;
  bool has_first = false;
  bool is_wait = false;
  // Before the last look that found it pending; 0: there was none.
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
  DeviceSpan* take() noexcept { return at(free_.pop()); }
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
};

}  // namespace traced
