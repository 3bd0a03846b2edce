// DeviceAnchors reads a device's clock together with the host's, and converts
// device events to host time.
//
// An anchor is an event on the recorder's own stream, recorded between two
// readings of the host's clock. It never waits for the device. Not thread safe.

#pragma once

#include <cstdint>
#include <optional>

#include "recorder/device/device_clock.h"
#include "recorder/device/device_events.h"

namespace traced {

class DeviceAnchors {
 public:
  // In nanoseconds, like all constants here. Interval between clock readings
  // while measurements are pending. Beyond kMaxAge an anchor is too old to
  // measure from.
  static constexpr std::int64_t kInterval = 100'000'000;
  static constexpr std::int64_t kMaxAge = 1'000'000'000;
  // Maximum time to spin for one reading of both clocks.
  static constexpr std::int64_t kSpin = 200'000;
  // An anchor between two host readings at most this far apart is not retried.
  static constexpr std::int64_t kGoodBracket = 10'000;
  // Maximum error, which is half the distance of the two host readings.
  static constexpr std::int64_t kMaxError = 1'000'000;
  // The same for an anchor from one of the job's events, between two queries.
  static constexpr std::int64_t kMaxProbeError = 5'000'000;
  static constexpr int kAttempts = 5;

  using Clock = std::int64_t (*)();
  // An instant on the device's clock. Its error relative to the current anchor
  // is the growth of `unresolved_ns_` since `unresolved_before_ns`.
  struct DeviceInstant {
    std::int64_t device_ns;
    std::int64_t unresolved_before_ns;
  };

  DeviceAnchors(DeviceEvents& events, Clock clock)
      : events_(events), clock_(clock) {}

  // Creates the events. Returns false if the device provides none.
  bool make() noexcept;
  // Returns whether the clock should be read now. `measured`: reached spans
  // wait for a later anchor.
  bool isDue(bool measured) const noexcept;
  // Returns whether a reading of the clock is pending.
  bool isInFlight() const noexcept { return anchor_began_ns_.has_value(); }
  // Starts or continues reading the clock. Returns false if the device failed.
  bool take() noexcept;
  // Turns one of the job's events into an anchor. The device reached it between
  // the host times `before_ns` and `after_ns`. On success `event` is replaced
  // by another one. Returns false and keeps `event` if the bracket is too wide
  // or the event is not known to be after the last anchor.
  bool takeFrom(DeviceEvents::Event& event, std::int64_t before_ns,
                std::int64_t after_ns) noexcept {
    return anchorAt(event, before_ns, after_ns, kMaxProbeError);
  }
  // Discards the pending anchor.
  void forget() noexcept { anchor_began_ns_.reset(); }

  // Returns whether the device still answers after a failed query.
  bool answers() noexcept;
  // Returns whether the device's single queue (CUDA_DEVICE_MAX_CONNECTIONS=1)
  // is full. An event of the recorder then waits behind the job's work, so it
  // cannot serve as an anchor.
  bool isQueueFull() const noexcept { return queue_is_full_; }

  // Returns the device time of an event that was reached. Returns nullopt
  // without an anchor to measure from.
  std::optional<DeviceInstant> instantOf(DeviceEvents::Event event) noexcept;
  // Returns the instant of the last anchor. Requires an anchor.
  DeviceInstant last() const noexcept {
    return {device_clock_.last()->device_ns, unresolved_ns_};
  }
  // Returns whether a later anchor exists, so that nothing is extrapolated.
  bool covers(const DeviceInstant& at) const noexcept {
    return device_clock_.covers(at.device_ns);
  }
  // Converts to host time. Requires an anchor.
  DeviceClock::HostInstant onHost(const DeviceInstant& at) const noexcept {
    return *device_clock_.at(at.device_ns,
                             unresolved_ns_ - at.unresolved_before_ns);
  }

 private:
  // Starts an anchor. Returns false if none could be started.
  bool start() noexcept;
  // Returns whether the anchor was reached within `spin_ns`.
  bool await(std::int64_t spin_ns) noexcept;
  void continueReading() noexcept;
  void close(std::int64_t reached_ns) noexcept;
  bool anchorAt(DeviceEvents::Event& event, std::int64_t began_ns,
                std::int64_t reached_ns, std::int64_t most_error_ns) noexcept;

  DeviceEvents& events_;
  const Clock clock_;
  std::optional<DeviceEvents::Stream> own_stream_;
  DeviceClock device_clock_;
  // The events of the last anchor and of the next one.
  DeviceEvents::Event anchor_ = nullptr;
  DeviceEvents::Event next_anchor_ = nullptr;
  std::optional<std::int64_t> anchor_began_ns_;  // begin of the pending anchor
  std::int64_t anchored_ns_ = 0;
  // Accumulated error bound of the distances between all anchors.
  std::int64_t unresolved_ns_ = 0;
  bool queue_is_full_ = false;
  bool failed_ = false;
};

}  // namespace traced
