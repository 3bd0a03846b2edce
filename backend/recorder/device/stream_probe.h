// StreamProbe determines which events of one stream were reached, with few
// queries.
//
// Events are reached in order. It queries the oldest first and then the newest.
// Only if the newest is pending, it bisects those in between. Fewer queries
// matter, because each takes a CUDA lock that issuing threads need.

#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "recorder/device/device_events.h"
#include "recorder/device/event_pool.h"

namespace traced {

class StreamProbe {
 public:
  // Reserves memory for all spans. No other function allocates.
  StreamProbe() { spans_.reserve(EventPool::kSpans); }

  // Starts with the spans of one stream. `spans` must be in submission order;
  // spans of other streams are ignored.
  void begin(DeviceEvents::Stream stream,
             const std::vector<DeviceSpan*>& spans) noexcept {
    spans_.clear();
    for (DeviceSpan* span : spans) {
      if (span->stream == stream) spans_.push_back(span);
    }
    reached_ = 0;
    pending_ = spans_.size();
  }

  // Returns the next span to query, or nullptr if all states are known.
  DeviceSpan* next() const noexcept {
    return reached_ < pending_ ? spans_[nextIndex()] : nullptr;
  }
  // Passes the result for next(). `asked_ns` is the host time before the query.
  void answer(DeviceEvents::State state, std::int64_t asked_ns) noexcept {
    const std::size_t index = nextIndex();
    switch (state) {
      case DeviceEvents::State::kReached:
        reached_ = index + 1;
        break;
      case DeviceEvents::State::kPending:
        pending_ = index;
        pending_ns_ = asked_ns;
        break;
      case DeviceEvents::State::kFailed:  // a single refused event
        spans_[index]->state = DeviceSpan::EventState::kRefused;
        spans_.erase(spans_.begin() + static_cast<std::ptrdiff_t>(index));
        --pending_;
        break;
    }
  }
  // Stores the states in the spans. Call it when next() returns nullptr.
  void finish() noexcept {
    using EventState = DeviceSpan::EventState;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      spans_[i]->state =
          i < reached_ ? EventState::kReached : EventState::kPending;
    }
    if (pending_ == spans_.size()) return;
    DeviceSpan& front = *spans_[pending_];
    if (front.first_pending_ns == 0) front.first_pending_ns = pending_ns_;
    front.pending_ns = pending_ns_;
  }

 private:
  std::size_t nextIndex() const noexcept {
    if (reached_ == 0) return 0;
    if (pending_ == spans_.size()) return pending_ - 1;
    return std::midpoint(reached_, pending_);
  }

  std::vector<DeviceSpan*> spans_;
  // Spans before `reached_` were reached. Spans from `pending_` on were pending
  // when queried.
  std::size_t reached_ = 0;
  std::size_t pending_ = 0;
  std::int64_t pending_ns_ = 0;
};

}  // namespace traced
