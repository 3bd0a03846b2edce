#include "recorder/device/device_anchors.h"

#include <utility>

namespace traced {

bool DeviceAnchors::make() noexcept {
  own_stream_ = events_.ownStream();
  anchor_ = events_.create();
  next_anchor_ = events_.create();
  return own_stream_ && anchor_ && next_anchor_;
}

// Anchors are needed before the first span, to interpolate from, and after each
// measurement.
bool DeviceAnchors::isDue(bool measured) const noexcept {
  const std::int64_t age_ns = clock_() - anchored_ns_;
  if (!device_clock_.last() || age_ns >= kMaxAge) return true;
  return measured && age_ns >= kInterval;
}

// A broken device fails every query. A single failed query may be one refused
// event.
bool DeviceAnchors::answers() noexcept {
  return events_.query(anchor_) != DeviceEvents::State::kFailed;
}

bool DeviceAnchors::start() noexcept {
  anchor_began_ns_ = clock_();
  if (events_.record(next_anchor_, *own_stream_)) return true;
  anchor_began_ns_.reset();
  failed_ = !answers();
  return false;
}

bool DeviceAnchors::take() noexcept {
  if (anchor_began_ns_) {
    continueReading();
    return !failed_;
  }
  for (int attempt = 1; attempt <= kAttempts && start(); ++attempt) {
    if (!await(kSpin)) break;
    const std::int64_t reached_ns = clock_();
    if (reached_ns - *anchor_began_ns_ <= kGoodBracket ||
        attempt == kAttempts) {
      close(reached_ns);
      break;
    }
  }
  return !failed_;
}

// Queries a pending anchor without spinning.
void DeviceAnchors::continueReading() noexcept {
  if (await(0)) {
    close(clock_());
  } else if (anchor_began_ns_ && clock_() - *anchor_began_ns_ > 2 * kMaxError) {
    queue_is_full_ = true;
  }
}

bool DeviceAnchors::await(std::int64_t spin_ns) noexcept {
  const std::int64_t until_ns = clock_() + spin_ns;
  for (;;) {
    // Queries once more after the deadline, because a pause may have used up
    // all the time.
    const bool is_last = clock_() >= until_ns;
    const DeviceEvents::State state = events_.query(next_anchor_);
    if (state == DeviceEvents::State::kReached) return true;
    if (state == DeviceEvents::State::kFailed) {
      failed_ = !answers();
      anchor_began_ns_.reset();
      return false;
    }
    if (is_last) return false;
  }
}

// The device reached the event between the two readings of the host's clock.
void DeviceAnchors::close(std::int64_t reached_ns) noexcept {
  const std::int64_t began_ns = *std::exchange(anchor_began_ns_, std::nullopt);
  queue_is_full_ = !anchorAt(next_anchor_, began_ns, reached_ns, kMaxError);
}

bool DeviceAnchors::anchorAt(DeviceEvents::Event& event, std::int64_t began_ns,
                             std::int64_t reached_ns,
                             std::int64_t most_error_ns) noexcept {
  const std::int64_t error_ns = (reached_ns - began_ns + 1) / 2;
  if (error_ns > most_error_ns) return false;
  std::int64_t device_ns = 0;
  if (const auto& last = device_clock_.last()) {
    const auto since = events_.elapsedNs(anchor_, event);
    if (!since || *since <= 0) return false;
    device_ns = last->device_ns + *since;
    unresolved_ns_ += DeviceClock::unresolved(*since);
  }
  device_clock_.add({device_ns, began_ns + error_ns, error_ns});
  std::swap(anchor_, event);
  anchored_ns_ = reached_ns;
  return true;
}

auto DeviceAnchors::instantOf(DeviceEvents::Event event) noexcept
    -> std::optional<DeviceInstant> {
  const auto& last = device_clock_.last();
  if (!last) return std::nullopt;
  const auto since = events_.elapsedNs(anchor_, event);
  if (!since) return std::nullopt;
  return DeviceInstant{last->device_ns + *since,
                       unresolved_ns_ - DeviceClock::unresolved(*since)};
}

}  // namespace traced
