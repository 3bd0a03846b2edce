#include "recorder/device/device_resolver.h"

#include <algorithm>

namespace traced {

bool DeviceResolver::start() noexcept {
  failed_ = !prepare();
  return !failed_;
}

bool DeviceResolver::prepare() noexcept {
  try {
    pending_.reserve(EventPool::kSpans);
    reached_.reserve(EventPool::kSpans);
    measured_.reserve(kMaxMeasured);
    probe_.emplace();
    blocked_.reserve(EventPool::kSpans);
  } catch (...) {
    return false;
  }
  if (!events_.enterThread()) return false;
  return anchors_.make() && pool_.fill(events_);
}

bool DeviceResolver::isIdle() const noexcept {
  return pending_.empty() && reached_.empty() && measured_.empty();
}

void DeviceResolver::takeSubmitted() noexcept {
  if (isIdle()) progress_ns_ = clock_();
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
  if (!failed_ && wantsAnchor()) failed_ = !anchors_.take();
  if (!failed_) measureReached();
  reportMeasured(/*extrapolate=*/false);
  recordUntimed(/*now=*/false);
  return !isIdle() && clock_() - progress_ns_ <= kStuckAfter;
}

bool DeviceResolver::isBlocked(DeviceEvents::Stream stream) const noexcept {
  return std::find(blocked_.begin(), blocked_.end(), stream) != blocked_.end();
}

void DeviceResolver::queryPending() noexcept {
  using EventState = DeviceSpan::EventState;
  for (DeviceSpan* span : pending_) span->state = EventState::kNone;
  for (const DeviceSpan* span : pending_) {
    if (!failed_ && span->state == EventState::kNone) poll(span->stream);
  }
  const auto stays = [this](DeviceSpan* span) {
    switch (span->state) {
      case EventState::kReached:
        reached(*span);
        return false;
      case EventState::kRefused:
        giveUp(*span, Untimed::Reason::kRefused);
        return false;
      case EventState::kNone:  // the device failed earlier
      case EventState::kPending:
        break;
    }
    return true;
  };
  pending_.erase(std::stable_partition(pending_.begin(), pending_.end(), stays),
                 pending_.end());
}

void DeviceResolver::poll(DeviceEvents::Stream stream) noexcept {
  probe_->begin(stream, pending_);
  while (const DeviceSpan* span = probe_->next()) {
    const std::int64_t asked_ns = clock_();
    const DeviceEvents::State state = events_.query(span->last);
    failed_ = state == DeviceEvents::State::kFailed && !anchors_.answers();
    if (failed_) return;
    probe_->answer(state, asked_ns);
  }
  probe_->finish();
}

void DeviceResolver::reached(DeviceSpan& span) noexcept {
  progress_ns_ = clock_();
  if (aborted_.contains(span.communicator)) {
    giveUp(span, Untimed::Reason::kAborted);
  } else if (resolveAlone(span, progress_ns_) || measure(span)) {
    pool_.giveBack(&span);
  } else {
    reached_.push_back(&span);
  }
}

// Drops all but the oldest span of each stuck stream, so that other streams can
// be measured. The spans behind it were not queried and would provide little
// once it ends.
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

bool DeviceResolver::wantsAnchor() const noexcept {
  if (anchors_.isInFlight()) return true;
  if (isIdle()) return false;
  return measured_.size() > kMaxMeasured / 2 ||
         anchors_.isDue(!reached_.empty() || !measured_.empty());
}

// The device reached the span's end between two queries.
bool DeviceResolver::resolveAlone(DeviceSpan& span,
                                  std::int64_t reached_ns) noexcept {
  if (!anchors_.isQueueFull() || span.pending_ns == 0) return false;
  const std::uint64_t lasted_plus_1 = lastedPlus1(span);
  if (!anchors_.takeFrom(span.last, span.pending_ns, reached_ns)) return false;
  reportTimes(
      {span.op, anchors_.last(), lasted_plus_1, span.is_wait, span.wait});
  return true;
}

// Measures each span once, because every query takes CUDA's lock.
bool DeviceResolver::measure(const DeviceSpan& span) noexcept {
  if (measured_.size() == kMaxMeasured) return false;
  const auto end = anchors_.instantOf(span.last);
  if (!end) return false;
  measured_.push_back(
      {span.op, *end, lastedPlus1(span), span.is_wait, span.wait});
  return true;
}

// Measures spans that were reached before an anchor was available.
void DeviceResolver::measureReached() noexcept {
  const auto stays = [this](DeviceSpan* span) {
    if (!measure(*span)) {
      if (clock_() - progress_ns_ <= kStuckAfter) return true;
      giveUpClock(*span);
    }
    pool_.giveBack(span);
    return false;
  };
  reached_.erase(std::stable_partition(reached_.begin(), reached_.end(), stays),
                 reached_.end());
}

// The stall of a wait needs no clock.
void DeviceResolver::giveUpClock(const DeviceSpan& span) noexcept {
  untimed_.add(Untimed::Reason::kNoClock);
  if (span.is_wait) recordStall(span.wait, lastedPlus1(span));
}

void DeviceResolver::reportMeasured(bool extrapolate) noexcept {
  const bool all =
      extrapolate || failed_ || clock_() - progress_ns_ > kStuckAfter;
  const auto stays = [&](const Measured& span) {
    if (!all && !anchors_.covers(span.end)) return true;
    reportTimes(span);
    return false;
  };
  measured_.erase(
      std::stable_partition(measured_.begin(), measured_.end(), stays),
      measured_.end());
}

std::uint64_t DeviceResolver::lastedPlus1(const DeviceSpan& span) noexcept {
  if (!span.has_first) return 0;
  const auto ns = events_.elapsedNs(span.first, span.last);
  return ns ? static_cast<std::uint64_t>(std::max<std::int64_t>(*ns, 0)) + 1
            : 0;
}

void DeviceResolver::reportTimes(const Measured& span) noexcept {
  const DeviceClock::HostInstant end = anchors_.onHost(span.end);
  if (end.error_ns > reported_error_ns_) {
    reported_error_ns_ = end.error_ns + end.error_ns / 4;
    sink_.clockError(reported_error_ns_);
  }
  if (!span.is_wait) {
    sink_.ended({span.op, end.ns, span.lasted_plus_1, 0,
                 EndSource::kDeviceEvent, Outcome::kOk});
    return;
  }
  recordStall(span.wait, span.lasted_plus_1);
  sink_.ended({span.op, end.ns, 0, 0, EndSource::kDeviceWait, Outcome::kOk});
}

void DeviceResolver::recordStall(WaitRecord wait,
                                 std::uint64_t lasted_plus_1) noexcept {
  if (lasted_plus_1 == 0) return;
  wait.stall_ns_plus_1 = lasted_plus_1;
  sink_.stalled(wait);
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
  anchors_.forget();
}

void DeviceResolver::recordUntimed(bool now) noexcept {
  const std::uint64_t total = untimed_.total();
  if (total == reported_untimed_) return;
  const std::int64_t now_ns = clock_();
  if (!now && reported_untimed_ > 0 &&
      now_ns - reported_untimed_ns_ < kUntimedInterval) {
    return;
  }
  reported_untimed_ = total;
  reported_untimed_ns_ = now_ns;
  try {
    sink_.untimed(total, untimed_.words().c_str());
  } catch (...) {  // no memory for the text
    sink_.untimed(total, "");
  }
}

void DeviceResolver::finish(bool ask) noexcept {
  takeSubmitted();
  if (ask && !failed_) queryPending();
  if (ask && !failed_ && !(reached_.empty() && measured_.empty())) {
    // No later poll follows, so a slow reading is restarted.
    anchors_.forget();
    failed_ = !anchors_.take();
  }
  if (ask) measureReached();
  reportMeasured(/*extrapolate=*/true);
  giveUpAll(Untimed::Reason::kStopped);
  recordUntimed(/*now=*/true);
}

}  // namespace traced
