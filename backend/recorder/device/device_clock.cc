#include "recorder/device/device_clock.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace traced {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

// Returns whether both clocks advanced equally between two anchors.
bool agree(const DeviceAnchor& a, const DeviceAnchor& b) {
  const std::int64_t device_ns = b.device_ns - a.device_ns;
  const std::int64_t apart_ns = (b.host_ns - a.host_ns) - device_ns;
  return std::abs(apart_ns) <=
         a.error_ns + b.error_ns +
             device_ns / kMillion * DeviceClock::kMaxDrift +
             DeviceClock::kResolution;
}

}  // namespace

void DeviceClock::add(const DeviceAnchor& anchor) noexcept {
  if (last_ && anchor.device_ns <= last_->device_ns) return;
  before_ = last_ && agree(*last_, anchor) ? last_ : std::nullopt;
  last_ = anchor;
}

std::optional<DeviceClock::HostInstant> DeviceClock::at(
    std::int64_t device_ns, std::int64_t unresolved_ns) const noexcept {
  if (!last_) return std::nullopt;
  HostInstant best = from(*last_, device_ns);
  if (before_ && device_ns >= before_->device_ns) {
    HostInstant earlier = from(*before_, device_ns);
    earlier.error_ns += unresolved(last_->device_ns - before_->device_ns);
    for (const HostInstant& other : {between(device_ns), earlier}) {
      if (other.error_ns < best.error_ns) best = other;
    }
  }
  best.error_ns += unresolved_ns;
  return best;
}

auto DeviceClock::from(const DeviceAnchor& anchor, std::int64_t device_ns)
    -> HostInstant {
  const std::int64_t since_ns = device_ns - anchor.device_ns;
  return {anchor.host_ns + since_ns,
          anchor.error_ns + std::abs(since_ns) / (kMillion / kMaxDrift) + 1};
}

auto DeviceClock::between(std::int64_t device_ns) const noexcept
    -> HostInstant {
  const std::int64_t since_ns = device_ns - last_->device_ns;
  const auto device_span =
      static_cast<double>(last_->device_ns - before_->device_ns);
  const double rate =
      static_cast<double>(last_->host_ns - before_->host_ns) / device_span;
  // Between the anchors the error is at most the larger of theirs. Beyond the
  // last one, their errors tilt the line.
  const double beyond =
      since_ns > 0 ? static_cast<double>(since_ns) / device_span : 0;
  const double anchors_ns =
      static_cast<double>(std::max(before_->error_ns, last_->error_ns)) *
      (1 + 2 * beyond);
  const double wobble_ns =
      (device_span + std::abs(static_cast<double>(since_ns))) * kWobble /
      kMillion;
  return {last_->host_ns + std::llround(static_cast<double>(since_ns) * rate),
          std::llround(anchors_ns + wobble_ns)};
}

}  // namespace traced
