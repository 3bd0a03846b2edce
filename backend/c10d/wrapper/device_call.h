// DeviceCall records the device events around one call or one wait on the
// caller's stream.

#pragma once

#include <utility>

#include "recorder/device/device_times.h"

namespace traced {

// Unless end() or endWait() is called, the destructor returns the events
// unused, because the call failed or ran elsewhere.
class DeviceCall {
 public:
  DeviceCall(DeviceTimes* times, CommunicatorId communicator)
      : times_(times), communicator_(communicator) {}
  ~DeviceCall() {
    if (span_) times_->cancel(span_);
  }
  DeviceCall(const DeviceCall&) = delete;
  DeviceCall& operator=(const DeviceCall&) = delete;

  // Records the begin of an operation on the caller's stream. Requires `times`,
  // as does beginWait().
  void begin(const DeviceTimes::StreamState& state) noexcept {
    span_ = times_->begin(state, communicator_);
  }
  // Records the begin of a wait on the caller's current stream.
  void beginWait() noexcept {
    span_ = times_->beginWait(times_->streamState(), communicator_);
  }
  // Records the end and submits both events for measurement.
  void end(OpId op) noexcept {
    if (span_) times_->end(std::exchange(span_, nullptr), op);
  }
  // Records the end of a wait and submits both events for measurement. A second
  // record of `wait` then adds the stall.
  void endWait(const WaitRecord& wait) noexcept {
    if (span_) times_->endWait(std::exchange(span_, nullptr), wait);
  }

 private:
  DeviceTimes* const times_;
  const CommunicatorId communicator_;
  DeviceSpan* span_ = nullptr;
};

}  // namespace traced
