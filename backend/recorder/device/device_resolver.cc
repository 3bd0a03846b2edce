#include "recorder/device/device_resolver.h"

#include <algorithm>
#include <utility>

namespace traced {

bool DeviceResolver::start() noexcept {
  failed_ = !prepare();
  return !failed_;
}

bool DeviceResolver::prepare() noexcept {
  try {
    pending_.reserve(EventPool::kSpans);
    reached_.reserve(EventPool::kSpans);
    blocked_.reserve(EventPool::kSpans);
  } catch (...) {
    return false;
  }
  if (!events_.enterThread()) return false;
  own_stream_ = events_.ownStream();
  anchor_ = events_.create();
  next_anchor_ = events_.create();
  return own_stream_ && anchor_ && next_anchor_ && pool_.fill(events_);
}

void DeviceResolver::takeSubmitted() noexcept {
  if (pending_.empty() && reached_.empty()) progress_ns_ = clock_();
  while (DeviceSpan* span = pool_.nextSubmitted()) {
    span->first_pending_ns = span->pending_ns = 0;
    pending_.push_back(span);
  }
}

void DeviceResolver::hold() noexcept {
  takeSubmitted();
  progress_ns_ = clock_();
}

bool DeviceResolver::poll() noexcept {
  takeSubmitted();
  if (!failed_) queryPending();
  if (failed_) {
    giveUpAll(Untimed::Reason::kRefused);
  } else if (pool_.ranDry()) {
    makeRoom();
  }
  if (!failed_ && wantsAnchor()) takeAnchor();
  resolveReached(/*extrapolate=*/false);
  recordUntimed(/*now=*/false);
  return (!pending_.empty() || !reached_.empty()) &&
         clock_() - progress_ns_ <= kStuckAfter;
}

bool DeviceResolver::isBlocked(DeviceEvents::Stream stream) const noexcept {
  return std::find(blocked_.begin(), blocked_.end(), stream) != blocked_.end();
}

// A stream's events are reached in order: behind one that is not, none is asked
// for.
void DeviceResolver::queryPending() noexcept {
  blocked_.clear();
  const auto stays = [this](DeviceSpan* span) {
    return failed_ || isBlocked(span->stream) || isPending(*span);
  };
  pending_.erase(std::stable_partition(pending_.begin(), pending_.end(), stays),
                 pending_.end());
}

bool DeviceResolver::isPending(DeviceSpan& span) noexcept {
  const std::int64_t asked_ns = clock_();
  switch (events_.query(span.last)) {
    case DeviceEvents::State::kReached:
      reached(span);
      return false;
    case DeviceEvents::State::kFailed:
      failed_ = !answers();
      if (failed_) break;
      giveUp(span, Untimed::Reason::kRefused);
      return false;
    case DeviceEvents::State::kPending:
      if (span.first_pending_ns == 0) span.first_pending_ns = asked_ns;
      span.pending_ns = asked_ns;
      blocked_.push_back(span.stream);
      break;
  }
  return true;
}

void DeviceResolver::reached(DeviceSpan& span) noexcept {
  progress_ns_ = clock_();
  if (aborted_.contains(span.communicator)) {
    giveUp(span, Untimed::Reason::kAborted);
  } else if (resolveAlone(span, progress_ns_)) {
    pool_.giveBack(&span);
  } else {
    reached_.push_back(&span);
  }
}

// Of a stream that stands still only the oldest span is kept, so that other
// streams are measured: when that one ends the others have little to tell.
// Those behind the oldest have not been looked at.
void DeviceResolver::makeRoom() noexcept {
  const std::int64_t now_ns = clock_();
  blocked_.clear();
  const auto stays = [&](DeviceSpan* span) {
    if (isBlocked(span->stream)) {
      giveUp(*span, Untimed::Reason::kStuck);
      return false;
    }
    if (span->first_pending_ns > 0 &&
        now_ns - span->first_pending_ns > kStuckAfter) {
      blocked_.push_back(span->stream);
    }
    return true;
  };
  pending_.erase(std::stable_partition(pending_.begin(), pending_.end(), stays),
                 pending_.end());
}

// A device that is broken fails every question; one event may be refused.
bool DeviceResolver::answers() noexcept {
  return events_.query(anchor_) != DeviceEvents::State::kFailed;
}

// Before the first span, so that there is something to interpolate from, and
// behind what was reached.
bool DeviceResolver::wantsAnchor() const noexcept {
  if (anchor_began_ns_) return true;
  if (pending_.empty() && reached_.empty()) return false;
  const std::int64_t age_ns = clock_() - anchored_ns_;
  if (!device_clock_.last() || age_ns >= kAnchorAge) return true;
  return !reached_.empty() && age_ns >= kAnchorInterval;
}

bool DeviceResolver::startAnchor() noexcept {
  anchor_began_ns_ = clock_();
  if (events_.record(next_anchor_, *own_stream_)) return true;
  anchor_began_ns_.reset();
  failed_ = !answers();
  return false;
}

void DeviceResolver::takeAnchor() noexcept {
  // One that has been under way since an earlier poll is only looked at.
  if (anchor_began_ns_) {
    if (awaitAnchor(0)) {
      closeAnchor(clock_());
    } else if (anchor_began_ns_ &&
               clock_() - *anchor_began_ns_ > 2 * kMostError) {
      queue_is_full_ = true;
    }
    return;
  }
  for (int attempt = 1; attempt <= kAttempts && startAnchor(); ++attempt) {
    if (!awaitAnchor(kSpin)) return;
    const std::int64_t reached_ns = clock_();
    if (reached_ns - *anchor_began_ns_ <= kGoodBracket ||
        attempt == kAttempts) {
      closeAnchor(reached_ns);
      return;
    }
  }
}

bool DeviceResolver::awaitAnchor(std::int64_t spin_ns) noexcept {
  const std::int64_t until_ns = clock_() + spin_ns;
  for (;;) {
    const DeviceEvents::State state = events_.query(next_anchor_);
    if (state == DeviceEvents::State::kReached) return true;
    if (state == DeviceEvents::State::kFailed) {
      failed_ = !answers();
      anchor_began_ns_.reset();
      return false;
    }
    if (clock_() >= until_ns) return false;
  }
}

// The device came by somewhere between the two readings of the host's clock.
void DeviceResolver::closeAnchor(std::int64_t reached_ns) noexcept {
  const std::int64_t began_ns = *std::exchange(anchor_began_ns_, std::nullopt);
  queue_is_full_ = !anchorAt(next_anchor_, began_ns, reached_ns, kMostError);
}

bool DeviceResolver::anchorAt(DeviceEvents::Event& event, std::int64_t began_ns,
                              std::int64_t reached_ns,
                              std::int64_t most_error_ns) noexcept {
  const std::int64_t error_ns = (reached_ns - began_ns + 1) / 2;
  if (error_ns > most_error_ns) return false;
  std::int64_t device_ns = 0;
  if (const auto& last = device_clock_.last()) {
    const auto since = events_.elapsedNs(anchor_, event);
    if (!since || *since <= 0) return false;
    device_ns = last->device_ns + *since;
  }
  device_clock_.add({device_ns, began_ns + error_ns, error_ns});
  std::swap(anchor_, event);
  anchored_ns_ = reached_ns;
  return true;
}

// The device came to the span's end between two looks at it.
bool DeviceResolver::resolveAlone(DeviceSpan& span,
                                  std::int64_t reached_ns) noexcept {
  if (!queue_is_full_ || span.pending_ns == 0) return false;
  const std::uint64_t lasted_plus_1 = lastedPlus1(span);
  if (!anchorAt(span.last, span.pending_ns, reached_ns, kMostLookError)) {
    return false;
  }
  tell(span, device_clock_.last()->device_ns, lasted_plus_1);
  return true;
}

std::optional<std::int64_t> DeviceResolver::deviceNs(
    DeviceEvents::Event event) noexcept {
  const auto& last = device_clock_.last();
  if (!last) return std::nullopt;
  const auto since = events_.elapsedNs(anchor_, event);
  if (!since) return std::nullopt;
  return last->device_ns + *since;
}

void DeviceResolver::resolveReached(bool extrapolate) noexcept {
  const auto stays = [&](DeviceSpan* span) {
    const auto device_ns = deviceNs(span->last);
    if (!extrapolate && (!device_ns || !device_clock_.covers(*device_ns)) &&
        clock_() - progress_ns_ <= kStuckAfter) {
      return true;
    }
    const std::uint64_t lasted_plus_1 = lastedPlus1(*span);
    if (device_ns) {
      tell(*span, *device_ns, lasted_plus_1);
    } else {
      untimed_.add(Untimed::Reason::kNoClock);
      recordStall(*span, lasted_plus_1);  // which needs no clock
    }
    pool_.giveBack(span);
    return false;
  };
  reached_.erase(std::stable_partition(reached_.begin(), reached_.end(), stays),
                 reached_.end());
}

std::uint64_t DeviceResolver::lastedPlus1(const DeviceSpan& span) noexcept {
  if (!span.has_first) return 0;
  const auto ns = events_.elapsedNs(span.first, span.last);
  return ns ? static_cast<std::uint64_t>(std::max<std::int64_t>(*ns, 0)) + 1
            : 0;
}

void DeviceResolver::tell(DeviceSpan& span, std::int64_t device_ns,
                          std::uint64_t lasted_plus_1) noexcept {
  const DeviceClock::HostInstant end = *device_clock_.at(device_ns);
  if (end.error_ns > told_error_ns_) {
    told_error_ns_ = end.error_ns + end.error_ns / 4;
    sink_.clockError(told_error_ns_);
  }
  if (!span.is_wait) {
    sink_.ended({span.op, end.ns, lasted_plus_1, 0, EndSource::kDeviceEvent,
                 Outcome::kOk});
    return;
  }
  recordStall(span, lasted_plus_1);
  sink_.ended({span.op, end.ns, 0, 0, EndSource::kDeviceWait, Outcome::kOk});
}

void DeviceResolver::recordStall(DeviceSpan& span,
                                 std::uint64_t lasted_plus_1) noexcept {
  if (!span.is_wait || lasted_plus_1 == 0) return;
  span.wait.stall_ns_plus_1 = lasted_plus_1;
  sink_.stalled(span.wait);
}

void DeviceResolver::giveUp(DeviceSpan& span, Untimed::Reason reason) noexcept {
  untimed_.add(reason);
  pool_.giveBack(&span);
}

void DeviceResolver::giveUp(std::vector<DeviceSpan*>& spans,
                            Untimed::Reason reason) noexcept {
  for (DeviceSpan* span : spans) giveUp(*span, reason);
  spans.clear();
}

void DeviceResolver::giveUpAll(Untimed::Reason reason) noexcept {
  giveUp(pending_, reason);
  giveUp(reached_, reason);
  anchor_began_ns_.reset();
}

void DeviceResolver::recordUntimed(bool now) noexcept {
  const std::uint64_t total = untimed_.total();
  if (total == told_untimed_) return;
  const std::int64_t now_ns = clock_();
  if (!now && told_untimed_ > 0 &&
      now_ns - told_untimed_ns_ < kUntimedInterval) {
    return;
  }
  told_untimed_ = total;
  told_untimed_ns_ = now_ns;
  try {
    sink_.untimed(total, untimed_.words().c_str());
  } catch (...) {  // no memory for the words
    sink_.untimed(total, "");
  }
}

void DeviceResolver::finish(bool ask) noexcept {
  takeSubmitted();
  if (ask && !failed_) queryPending();
  if (ask && !failed_ && !reached_.empty()) takeAnchor();
  if (ask) resolveReached(/*extrapolate=*/true);
  giveUpAll(Untimed::Reason::kStopped);
  recordUntimed(/*now=*/true);
}

}  // namespace traced
