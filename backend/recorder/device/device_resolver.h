// DeviceResolver converts spans (two events on a device stream) into host times
// and passes them to a sink.
//
// One thread polls it every few milliseconds. It never waits for the device. A
// stuck operation is polled for as long as it is stuck, because its end matters
// most. All memory is allocated at construction and start.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "recorder/device/device_anchors.h"
#include "recorder/device/event_pool.h"
#include "recorder/device/stream_probe.h"
#include "recorder/device/untimed.h"
#include "ring_io/ring/record.h"

namespace traced {

// Receives the results.
class DeviceSink {
 public:
  virtual ~DeviceSink() = default;
  // Records the end of an operation.
  virtual void ended(const DoneRecord& done) noexcept = 0;
  // Records the wait again, now with its stall.
  virtual void stalled(const WaitRecord& wait) noexcept = 0;
  // Reports that later device times are off by at most `ns`.
  virtual void clockError(std::int64_t ns) noexcept = 0;
  // Reports how many operations and waits have no times so far, and why.
  virtual void untimed(std::uint64_t total, const char* why) noexcept = 0;
};

class DeviceResolver {
 public:
  // A stream without progress for this many nanoseconds is polled less often,
  // and its spans may be dropped to make room.
  static constexpr std::int64_t kStuckAfter = 10'000'000'000;
  static constexpr std::int64_t kUntimedInterval = 10'000'000'000;  // ns
  // Maximum number of measured spans that wait for a clock reading. Half as
  // many trigger a reading at once.
  static constexpr std::size_t kMaxMeasured = 2048;

  // No ends are reported for `aborted` communicators.
  DeviceResolver(DeviceEvents& events, EventPool& pool, Untimed& untimed,
                 const AbortedCommunicators& aborted, DeviceSink& sink,
                 DeviceAnchors::Clock clock)
      : events_(events),
        pool_(pool),
        untimed_(untimed),
        aborted_(aborted),
        sink_(sink),
        clock_(clock),
        anchors_(events, clock) {}

  // Prepares the calling thread, which must make all calls below. Returns false
  // on failure.
  bool start() noexcept;
  // Resolves finished spans. Returns true if spans remain and one was reached
  // within kStuckAfter. The caller then polls again soon.
  bool poll() noexcept;
  // Takes submitted spans without querying the device.
  void hold() noexcept;
  // Last call: drops the spans that are unresolved. Queries the device once
  // more if `ask` is true.
  void finish(bool ask) noexcept;

  // Returns whether the device reported an error or has no events. It is then
  // never queried again.
  bool failed() const { return failed_; }

 private:
  // A measured span, which needs its events no longer.
  struct Measured {
    OpId op;
    DeviceAnchors::DeviceInstant end;
    std::uint64_t lasted_plus_1;
    bool is_wait;
    WaitRecord wait;
  };

  // Allocates the events and the memory. Returns false on failure.
  bool prepare() noexcept;
  // Returns whether no span is pending, reached or measured.
  bool isIdle() const noexcept;
  // Moves submitted spans to pending_.
  void takeSubmitted() noexcept;
  // Queries the streams of all pending spans. Moves those reached and those
  // refused out of pending_.
  void queryPending() noexcept;
  // Determines which spans of a stream were reached.
  void poll(DeviceEvents::Stream stream) noexcept;
  // Measures a reached span, or keeps it in reached_ until an anchor exists.
  void reached(DeviceSpan& span) noexcept;
  // Drops spans of stuck streams, because the pool ran dry.
  void makeRoom() noexcept;
  bool isBlocked(DeviceEvents::Stream stream) const noexcept;
  // Returns whether to start or continue reading the clock now.
  bool wantsAnchor() const noexcept;
  // Resolves a span whose end can serve as an anchor itself. Returns false if
  // it cannot.
  bool resolveAlone(DeviceSpan& span, std::int64_t reached_ns) noexcept;
  // Adds a reached span to measured_. Returns false if no anchor is available
  // or measured_ is full.
  bool measure(const DeviceSpan& span) noexcept;
  // Measures the spans in reached_ for which an anchor now exists.
  void measureReached() noexcept;
  // Counts a span as untimed for lack of a clock. A wait still gets its stall.
  void giveUpClock(const DeviceSpan& span) noexcept;
  // Passes measured spans to the sink. Keeps those after the last anchor,
  // unless `extrapolate` is true.
  void reportMeasured(bool extrapolate) noexcept;
  // Returns the duration of the span plus 1, or 0 if unknown.
  std::uint64_t lastedPlus1(const DeviceSpan& span) noexcept;
  void reportTimes(const Measured& span) noexcept;
  void recordStall(WaitRecord wait, std::uint64_t lasted_plus_1) noexcept;
  // Reports the untimed total if it changed, at most once per kUntimedInterval
  // unless `now` is true.
  void recordUntimed(bool now) noexcept;
  // Return spans to the pool and count them as untimed.
  void giveUp(DeviceSpan& span, Untimed::Reason reason) noexcept;
  void giveUpAll(Untimed::Reason reason) noexcept;
  void giveUp(std::vector<DeviceSpan*>& spans, Untimed::Reason reason) noexcept;

  DeviceEvents& events_;
  EventPool& pool_;
  Untimed& untimed_;
  const AbortedCommunicators& aborted_;
  DeviceSink& sink_;
  const DeviceAnchors::Clock clock_;
  DeviceAnchors anchors_;
  // In submission order. Capacity is reserved for all spans.
  std::vector<DeviceSpan*> pending_;
  std::vector<DeviceSpan*> reached_;  // reached but not yet measured
  std::vector<Measured> measured_;
  std::optional<StreamProbe> probe_;
  std::vector<DeviceEvents::Stream> blocked_;
  std::int64_t progress_ns_ = 0;
  std::int64_t reported_error_ns_ = 0;
  std::uint64_t reported_untimed_ = 0;
  std::int64_t reported_untimed_ns_ = 0;
  bool failed_ = false;
};

}  // namespace traced
