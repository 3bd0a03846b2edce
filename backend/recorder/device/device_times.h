// DeviceTimes measures when one device begins and ends operations: events are
// put around them on the caller's stream, and a thread of its own finds out
// when the device came by.
//
// What callers do: take two events from a pool and record them. No lock, no
// allocation, no question to the device but whether the stream is being
// captured. While it is, and where anything else is in the way, there is no
// span, and the operation has no device times; it is counted.
//
// Thread safety: all from any thread. Never destroyed before its thread ended.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "recorder/device/aborted_communicators.h"
#include "recorder/device/device_events.h"
#include "recorder/device/device_resolver.h"
#include "recorder/device/event_pool.h"
#include "recorder/device/untimed.h"
#include "ring_io/settings/options.h"

namespace traced {

class DeviceTimes {
 public:
  // While captures are seen nothing is asked of the device, and so long after.
  static constexpr std::int64_t kQuiet = 200'000'000;  // ns
  // How long whatever is issued first waits for the events at most. They take
  // some milliseconds; then it makes the engine connect, and is the longest of
  // all.
  static constexpr std::chrono::milliseconds kStartDeadline{1000};

  // Where the calling thread stands.
  struct StreamState {
    std::optional<DeviceEvents::Stream> stream;
    DeviceEvents::Capture capture;
  };

  // Without a thread, and with no spans, if the mode is off: then it only tells
  // where callers stand. Else there are events when it returns, unless they
  // take longer than kStartDeadline. Throws std::system_error if there can be
  // no thread. What has no times is counted in `untimed`; what was `aborted`
  // has none.
  DeviceTimes(std::unique_ptr<DeviceEvents> events, DeviceTimeMode mode,
              std::unique_ptr<DeviceSink> sink, Untimed& untimed,
              const AbortedCommunicators& aborted);
  ~DeviceTimes();

  StreamState streamState() noexcept;

  // Around an operation that runs on the caller's stream. nullptr: it will not
  // be measured.
  DeviceSpan* begin(const StreamState& state,
                    CommunicatorId communicator) noexcept;
  void end(DeviceSpan* span, OpId op) noexcept;
  // Around a wait, which makes the caller's stream wait for an operation.
  DeviceSpan* beginWait(const StreamState& state,
                        CommunicatorId communicator) noexcept;
  void endWait(DeviceSpan* span, const WaitRecord& wait) noexcept;
  // It came to nothing.
  void cancel(DeviceSpan* span) noexcept { pool_.giveBack(span); }

  // Finds out what can be and ends the thread. False if the deadline passed
  // first: the device hangs, and the thread with it.
  bool stop(std::chrono::milliseconds deadline) noexcept;

 private:
  DeviceSpan* take(const StreamState& state, CommunicatorId communicator,
                   bool is_wait) noexcept;
  void submit(DeviceSpan* span) noexcept;
  void endEvents(Untimed::Reason why) noexcept;
  void run() noexcept;
  bool step() noexcept;

  const std::unique_ptr<DeviceEvents> events_;
  const DeviceTimeMode mode_;
  const std::unique_ptr<DeviceSink> sink_;
  Untimed& untimed_;
  EventPool pool_;
  // Set by the thread; and why there are none, if so.
  std::atomic<bool> has_events_{false};
  std::atomic<Untimed::Reason> why_none_{Untimed::Reason::kStarting};
  std::atomic<std::int64_t> quiet_until_ns_{0};
  DeviceResolver resolver_;  // the thread's own

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false;  // whether or not there are events
  bool stopping_ = false;
  bool stopped_ = false;

  std::thread thread_;
};

}  // namespace traced
