// DeviceClock converts instants of a device's clock to the host's clock by
// means of anchors, which are instants known on both. It interpolates between
// the last two anchors. If one of them has a large error, it uses only the
// other where that is more exact.
//
// Not thread safe.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>

namespace traced {

// An instant on both clocks. `host_ns` is off by at most `error_ns`.
struct DeviceAnchor {
  std::int64_t device_ns = 0;
  std::int64_t host_ns = 0;
  std::int64_t error_ns = 0;
};

class DeviceClock {
 public:
  struct HostInstant {
    std::int64_t ns = 0;
    std::int64_t error_ns = 0;  // upper bound
  };

  // Resolution of a device's clock in nanoseconds. The rounding of CUDA's
  // elapsed time, a 32-bit float, is the time divided by kRounding.
  static constexpr std::int64_t kResolution = 500;
  static constexpr std::int64_t kRounding = 1 << 24;
  // Maximum drift between the clocks in parts per million. A larger one means
  // that a clock was set, so it is not interpolated across.
  static constexpr std::int64_t kMaxDrift = 1'000;
  // Maximum deviation of the rate between two anchors from their mean rate, in
  // parts per million.
  static constexpr std::int64_t kWobble = 1;

  // Adds an anchor. Ignores it unless its device time is after the last one's.
  void add(const DeviceAnchor& anchor) noexcept;

  // Returns whether the instant is not after the last anchor, so at()
  // interpolates.
  bool covers(std::int64_t device_ns) const noexcept {
    return last_ && device_ns <= last_->device_ns;
  }

  // Returns the error bound of a time that CUDA reports between two events.
  static std::int64_t unresolved(std::int64_t elapsed_ns) noexcept {
    return kResolution + std::abs(elapsed_ns) / kRounding;
  }

  // Returns the host time, or nullopt without an anchor. `unresolved_ns` is the
  // error bound of the instant relative to the last anchor, in device time.
  std::optional<HostInstant> at(std::int64_t device_ns,
                                std::int64_t unresolved_ns) const noexcept;

  const std::optional<DeviceAnchor>& last() const { return last_; }

 private:
  // Converts by one anchor, assuming a drift of at most kMaxDrift.
  static HostInstant from(const DeviceAnchor& anchor, std::int64_t device_ns);
  // Converts by the line through both anchors.
  HostInstant between(std::int64_t device_ns) const noexcept;

  std::optional<DeviceAnchor> before_;
  std::optional<DeviceAnchor> last_;
};

}  // namespace traced
