// StreamProbe finds out which events of one stream were reached.
//
// They are reached in order, so few are asked for: the oldest; if it is reached
// the newest; and only if that is not, those in between by halves. Each
// question takes CUDA's lock from the threads that issue.

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
  // Reserved for all spans; whatever throws, throws here.
  StreamProbe() { spans_.reserve(EventPool::kSpans); }

  // The spans in the order of submission, those of other streams left out.
  void begin(DeviceEvents::Stream stream,
             const std::vector<DeviceSpan*>& spans) noexcept {
    spans_.clear();
    for (DeviceSpan* span : spans) {
      if (span->stream == stream) spans_.push_back(span);
    }
    reached_ = 0;
    pending_ = spans_.size();
  }

  // The next one to ask for; nullptr when all is known.
  DeviceSpan* next() const noexcept {
    return reached_ < pending_ ? spans_[nextIndex()] : nullptr;
  }
  // What came of asking for next(); `asked_ns`: before.
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
      case DeviceEvents::State::kFailed:  // one event that was refused
        spans_[index]->look = DeviceSpan::EventState::kRefused;
        spans_.erase(spans_.begin() + static_cast<std::ptrdiff_t>(index));
        --pending_;
        break;
    }
  }
  // Notes in the spans what is known, once that is all.
  void finish() noexcept {
    using EventState = DeviceSpan::EventState;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      spans_[i]->look =
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
  // Those before `reached_` were reached; those from `pending_` on were not,
  // when it was asked.
  std::size_t reached_ = 0;
  std::size_t pending_ = 0;
  std::int64_t pending_ns_ = 0;
};

}  // namespace traced
