// DeviceAnchors reads a device's clock together with the host's, and brings
// events that the device came by to the host's clock.
//
// An anchor is an event on a stream of our own, between two readings of the
// host's clock. It never waits for the device. One thread.

#pragma once

#include <cstdint>
#include <optional>

#include "recorder/device/device_clock.h"
#include "recorder/device/device_events.h"

namespace traced {

class DeviceAnchors {
 public:
  // All in nanoseconds. How often the clock is read where something was
  // measured; an anchor that old is too far away to measure from.
  static constexpr std::int64_t kInterval = 100'000'000;
  static constexpr std::int64_t kMaxAge = 1'000'000'000;
  // How long one reading of both clocks may spin.
  static constexpr std::int64_t kSpin = 200'000;
  static constexpr std::int64_t kGoodBracket = 10'000;
  static constexpr std::int64_t kMaxError = 1'000'000;
  // The same between two looks at an event of the job's.
  static constexpr std::int64_t kMaxProbeError = 5'000'000;
  static constexpr int kAttempts = 5;

  using Clock = std::int64_t (*)();
  // On the device's clock. Off from the anchor of now by as much as what
  // anchors may be off by has grown since.
  struct DeviceInstant {
    std::int64_t device_ns;
    std::int64_t unresolved_before_ns;
  };

  DeviceAnchors(DeviceEvents& events, Clock clock)
      : events_(events), clock_(clock) {}

  // False: the device gave no events.
  bool make() noexcept;
  // Whether it is time to read the clock, where something is under way.
  bool isDue(bool measured) const noexcept;
  bool isUnderWay() const noexcept { return anchor_began_ns_.has_value(); }
  // Begins to read the clock, or goes on. False: the device failed.
  bool take() noexcept;
  // Makes an event of the job's an anchor, which the device came by between two
  // readings of the host's clock. The event becomes another one. False: it is
  // no good one.
  bool takeFrom(DeviceEvents::Event& event, std::int64_t before_ns,
                std::int64_t after_ns) noexcept {
    return anchorAt(event, before_ns, after_ns, kMaxProbeError);
  }
  void forget() noexcept { anchor_began_ns_.reset(); }

  // Whether the device answers at all, after a question that failed.
  bool answers() noexcept;
  // An event of our own takes too long to tell the time: what a device's one
  // queue (CUDA_DEVICE_MAX_CONNECTIONS=1) is full of comes first.
  bool isQueueFull() const noexcept { return queue_is_full_; }

  // Of an event that was reached; nullopt without an anchor to measure from.
  std::optional<DeviceInstant> instantOf(DeviceEvents::Event event) noexcept;
  // Of the last anchor.
  DeviceInstant last() const noexcept {
    return {device_clock_.last()->device_ns, unresolved_ns_};
  }
  // Whether there is an anchor behind it, so that nothing is extrapolated.
  bool covers(const DeviceInstant& at) const noexcept {
    return device_clock_.covers(at.device_ns);
  }
  DeviceClock::HostInstant onHost(const DeviceInstant& at) const noexcept {
    return *device_clock_.at(at.device_ns,
                             unresolved_ns_ - at.unresolved_before_ns);
  }

 private:
  // Begins an anchor. False: there is none under way.
  bool start() noexcept;
  // Whether the anchor was reached, within so many nanoseconds.
  bool await(std::int64_t spin_ns) noexcept;
  void goOn() noexcept;
  void close(std::int64_t reached_ns) noexcept;
  bool anchorAt(DeviceEvents::Event& event, std::int64_t began_ns,
                std::int64_t reached_ns, std::int64_t most_error_ns) noexcept;

  DeviceEvents& events_;
  const Clock clock_;
  std::optional<DeviceEvents::Stream> own_stream_;
  DeviceClock device_clock_;
  // The last anchor's event, and the next one's.
  DeviceEvents::Event anchor_ = nullptr;
  DeviceEvents::Event next_anchor_ = nullptr;
  std::optional<std::int64_t> anchor_began_ns_;  // of one under way
  std::int64_t anchored_ns_ = 0;
  // What the distances between all anchors, added up, may be off by.
  std::int64_t unresolved_ns_ = 0;
  bool queue_is_full_ = false;
  bool failed_ = false;
};

}  // namespace traced
