// DeviceClock brings instants of a device's clock to the host's, by anchors:
// instants that are known on both. It interpolates between the last two, or
// goes from one of them alone where that is closer: where the other's reading
// went badly.
//
// Not thread safe.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>

namespace traced {

// An instant on both clocks. The host's is off by at most error_ns.
struct DeviceAnchor {
  std::int64_t device_ns = 0;
  std::int64_t host_ns = 0;
  std::int64_t error_ns = 0;
};

class DeviceClock {
 public:
  struct HostInstant {
    std::int64_t ns = 0;
    std::int64_t error_ns = 0;  // a bound
  };

  // What a device's clock resolves, and rounding of the elapsed time in 32-bit
  // milliseconds, as CUDA tells it.
  static constexpr std::int64_t kResolution = 500;
  static constexpr std::int64_t kRounding = 1 << 24;
  // Two clocks that drift apart by more, in parts per million, are not told
  // from a clock that was set: nothing is interpolated over it.
  static constexpr std::int64_t kMaxDrift = 1'000;
  // Between anchors the rate may differ from the mean by so many parts per
  // million.
  static constexpr std::int64_t kWobble = 1;

  // In the order of the device's clock.
  void add(const DeviceAnchor& anchor) noexcept;

  // Whether the instant is not after the last anchor, so that at() need not
  // extrapolate.
  bool covers(std::int64_t device_ns) const noexcept {
    return last_ && device_ns <= last_->device_ns;
  }

  // By how much the time between two events may be off, as CUDA tells it.
  static std::int64_t unresolved(std::int64_t elapsed_ns) noexcept {
    return kResolution + std::abs(elapsed_ns) / kRounding;
  }

  // nullopt without an anchor. `unresolved_ns`: how far off the instant may be
  // from the last anchor, on the device's clock.
  std::optional<HostInstant> at(std::int64_t device_ns,
                                std::int64_t unresolved_ns) const noexcept;

  const std::optional<DeviceAnchor>& last() const { return last_; }

 private:
  // By one anchor: the clocks drift apart by kMaxDrift at most.
  static HostInstant from(const DeviceAnchor& anchor, std::int64_t device_ns);
  // By the line through both anchors.
  HostInstant between(std::int64_t device_ns) const noexcept;

  std::optional<DeviceAnchor> before_;
  std::optional<DeviceAnchor> last_;
};

}  // namespace traced
