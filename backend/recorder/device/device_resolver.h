// DeviceResolver turns spans, two events on a device's stream, into instants of
// the host's clock, and tells them to a sink.
//
// It is asked every few milliseconds by one thread and never waits for the
// device. An operation that stands still is asked for as long as that lasts:
// what others wait for is worth its end most. What it needs is made at its
// start.

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

// Where what was found out goes.
class DeviceSink {
 public:
  virtual ~DeviceSink() = default;
  virtual void ended(const DoneRecord& done) noexcept = 0;
  // The wait once more, now with its stall.
  virtual void stalled(const WaitRecord& wait) noexcept = 0;
  // Instants of the device told from now on are off by at most this.
  virtual void clockError(std::int64_t ns) noexcept = 0;
  // Of how much nothing was found out, since the beginning, and why.
  virtual void untimed(std::uint64_t total, const char* why) noexcept = 0;
};

class DeviceResolver {
 public:
  // What made no progress for so many nanoseconds is looked at less often, and
  // gives room to others.
  static constexpr std::int64_t kStuckAfter = 10'000'000'000;
  static constexpr std::int64_t kUntimedInterval = 10'000'000'000;  // ns
  // What was measured waits for the clock to be read; of half as much it is
  // read at once.
  static constexpr std::size_t kMaxMeasured = 2048;

  // Of what was aborted no ends are told.
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

  // Prepares the calling thread, which is the one that calls all below. False:
  // it has failed.
  bool start() noexcept;
  // Resolves what can be resolved. True while something is under way that does
  // not stand still.
  bool poll() noexcept;
  // Takes what was submitted and asks the device nothing.
  void hold() noexcept;
  // The last call: what is not known now never will be. Asks the device once
  // more, or not.
  void finish(bool ask) noexcept;

  // The device reported an error, or has no events: it is asked nothing more.
  bool failed() const { return failed_; }

 private:
  // A span that needs its events no more.
  struct Measured {
    OpId op;
    DeviceAnchors::DeviceInstant end;
    std::uint64_t lasted_plus_1;
    bool is_wait;
    WaitRecord wait;
  };

  bool prepare() noexcept;
  bool isIdle() const noexcept;
  void takeSubmitted() noexcept;
  void queryPending() noexcept;
  // Finds out which of a stream's spans were reached.
  void poll(DeviceEvents::Stream stream) noexcept;
  void reached(DeviceSpan& span) noexcept;
  void makeRoom() noexcept;
  bool isBlocked(DeviceEvents::Stream stream) const noexcept;
  bool wantsAnchor() const noexcept;
  // Resolves a span by itself, if its end is an anchor.
  bool resolveAlone(DeviceSpan& span, std::int64_t reached_ns) noexcept;
  // False: there is no anchor to measure from, or no room.
  bool measure(const DeviceSpan& span) noexcept;
  void measureReached() noexcept;
  void giveUpClock(const DeviceSpan& span) noexcept;
  void reportMeasured(bool extrapolate) noexcept;
  // How long the span lasted, plus 1; 0 if that is not known.
  std::uint64_t lastedPlus1(const DeviceSpan& span) noexcept;
  void tell(const Measured& span) noexcept;
  void recordStall(WaitRecord wait, std::uint64_t lasted_plus_1) noexcept;
  void recordUntimed(bool now) noexcept;
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
  // In the order of submission; reserved for all spans.
  std::vector<DeviceSpan*> pending_;
  std::vector<DeviceSpan*> reached_;  // and not measured yet
  std::vector<Measured> measured_;
  std::optional<StreamProbe> look_;
  std::vector<DeviceEvents::Stream> blocked_;
  std::int64_t progress_ns_ = 0;
  std::int64_t reported_error_ns_ = 0;
  std::uint64_t reported_untimed_ = 0;
  std::int64_t reported_untimed_ns_ = 0;
  bool failed_ = false;
};

}  // namespace traced
