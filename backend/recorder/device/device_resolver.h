// DeviceResolver turns spans, two events on a device's stream, into instants of
// the host's clock, and tells them to a sink.
//
// It is asked every few milliseconds by one thread and never waits for the
// device. An operation that stands still is asked for as long as that lasts:
// what others wait for is worth its end most. All its memory is the pool's.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "recorder/device/device_clock.h"
#include "recorder/device/event_pool.h"
#include "recorder/device/untimed.h"
#include "recorder/ring/record.h"

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
  // All in nanoseconds.
  static constexpr std::int64_t kAnchorInterval = 100'000'000;
  // An anchor that old is too far away to measure from.
  static constexpr std::int64_t kAnchorAge = 1'000'000'000;
  // How long one reading of both clocks may spin.
  static constexpr std::int64_t kSpin = 200'000;
  static constexpr std::int64_t kGoodBracket = 10'000;
  static constexpr std::int64_t kMostError = 1'000'000;
  // The same between two looks at an event of the job's.
  static constexpr std::int64_t kMostLookError = 5'000'000;
  // What made no progress for so long is looked at less often, and gives room
  // to others.
  static constexpr std::int64_t kStuckAfter = 10'000'000'000;
  static constexpr std::int64_t kUntimedInterval = 10'000'000'000;
  static constexpr int kAttempts = 5;

  using Clock = std::int64_t (*)();

  // Of what was aborted no ends are told.
  DeviceResolver(DeviceEvents& events, EventPool& pool, Untimed& untimed,
                 const AbortedCommunicators& aborted, DeviceSink& sink,
                 Clock clock)
      : events_(events),
        pool_(pool),
        untimed_(untimed),
        aborted_(aborted),
        sink_(sink),
        clock_(clock) {}

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
  bool prepare() noexcept;
  void takeSubmitted() noexcept;
  void queryPending() noexcept;
  // Asks for one of them. False: nothing more is to be learnt of it.
  bool isPending(DeviceSpan& span) noexcept;
  void reached(DeviceSpan& span) noexcept;
  void makeRoom() noexcept;
  bool isBlocked(DeviceEvents::Stream stream) const noexcept;
  // Whether the device answers at all, after a question that failed.
  bool answers() noexcept;
  bool wantsAnchor() const noexcept;
  void takeAnchor() noexcept;
  bool startAnchor() noexcept;
  // Whether the anchor was reached, within so many nanoseconds.
  bool awaitAnchor(std::int64_t spin_ns) noexcept;
  void closeAnchor(std::int64_t reached_ns) noexcept;
  // Makes a reached event the last anchor. False: it is no good one.
  bool anchorAt(DeviceEvents::Event& event, std::int64_t began_ns,
                std::int64_t reached_ns, std::int64_t most_error_ns) noexcept;
  // Resolves a span by itself, if its end is an anchor.
  bool resolveAlone(DeviceSpan& span, std::int64_t reached_ns) noexcept;
  void resolveReached(bool extrapolate) noexcept;
  // How long the span lasted, plus 1; 0 if that is not known.
  std::uint64_t lastedPlus1(const DeviceSpan& span) noexcept;
  void tell(DeviceSpan& span, std::int64_t device_ns,
            std::uint64_t lasted_plus_1) noexcept;
  void recordStall(DeviceSpan& span, std::uint64_t lasted_plus_1) noexcept;
  std::optional<std::int64_t> deviceNs(DeviceEvents::Event event) noexcept;
  void recordUntimed(bool now) noexcept;
  void giveUp(DeviceSpan& span, Untimed::Reason reason) noexcept;
  void giveUpAll(Untimed::Reason reason) noexcept;
  void giveUp(std::vector<DeviceSpan*>& spans, Untimed::Reason reason) noexcept;

  DeviceEvents& events_;
  EventPool& pool_;
  Untimed& untimed_;
  const AbortedCommunicators& aborted_;
  DeviceSink& sink_;
  const Clock clock_;
  std::optional<DeviceEvents::Stream> own_stream_;
  // In the order of submission; reserved for all spans.
  std::vector<DeviceSpan*> pending_;
  std::vector<DeviceSpan*> reached_;
  std::vector<DeviceEvents::Stream> blocked_;
  DeviceClock device_clock_;
  // The last anchor's event, and the next one's.
  DeviceEvents::Event anchor_ = nullptr;
  DeviceEvents::Event next_anchor_ = nullptr;
  std::optional<std::int64_t> anchor_began_ns_;  // of one under way
  std::int64_t anchored_ns_ = 0;
  // An event of our own takes too long to tell the time: what a device's one
  // queue (CUDA_DEVICE_MAX_CONNECTIONS=1) is full of comes first.
  bool queue_is_full_ = false;
  std::int64_t progress_ns_ = 0;
  std::int64_t told_error_ns_ = 0;
  std::uint64_t told_untimed_ = 0;
  std::int64_t told_untimed_ns_ = 0;
  bool failed_ = false;
};

}  // namespace traced
