// DeviceTimes measures when one device begins and ends operations. It records
// events around them on the caller's stream, and its own thread determines when
// the device reached them.
//
// A caller takes two events from a pool and records them. It takes no lock,
// allocates nothing, and asks the device only whether the stream is being
// captured. During a capture, or if any step fails, the operation gets no span
// and no device times, and is counted.
//
// Thread safety: any thread. The destructor blocks until the thread has ended.

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
  // The device is not queried while a capture is active, nor for this long
  // afterwards.
  static constexpr std::int64_t kQuiet = 200'000'000;  // ns
  // Maximum time that the first operation waits for the creation of events. It
  // usually takes milliseconds. The first operation connects the engine and is
  // the slowest, so its times are worth the wait.
  static constexpr std::chrono::milliseconds kStartTimeout{1000};

  // The calling thread's stream and its capture state.
  struct StreamState {
    std::optional<DeviceEvents::Stream> stream;
    DeviceEvents::Capture capture;
  };

  // If the mode is off, it starts no thread, creates no spans, and only reports
  // stream states. Otherwise it returns once events exist, or after
  // kStartTimeout. Throws std::system_error if the thread cannot start.
  // Operations without times are counted in `untimed`. Operations of `aborted`
  // communicators get no times.
  DeviceTimes(std::unique_ptr<DeviceEvents> events, DeviceTimeMode mode,
              std::unique_ptr<DeviceSink> sink, Untimed& untimed,
              const AbortedCommunicators& aborted);
  ~DeviceTimes();

  // Returns the calling thread's stream and whether it is being captured.
  StreamState streamState() noexcept;

  // Surround an operation on the caller's stream. begin() returns nullptr if
  // the operation is not measured. end() must not get nullptr.
  DeviceSpan* begin(const StreamState& state,
                    CommunicatorId communicator) noexcept;
  void end(DeviceSpan* span, OpId op) noexcept;
  // Do the same for a wait of the caller's stream for an operation.
  DeviceSpan* beginWait(const StreamState& state,
                        CommunicatorId communicator) noexcept;
  void endWait(DeviceSpan* span, const WaitRecord& wait) noexcept;
  // Returns whether a capture was seen recently.
  bool isQuiet() const noexcept;
  DeviceEvents& events() const noexcept { return *events_; }
  // Discards a span that will not be submitted.
  void cancel(DeviceSpan* span) noexcept { pool_.giveBack(span); }

  // Resolves the remaining spans and ends the thread. Returns false if the
  // timeout passed first; a hung device then blocks the thread.
  bool stop(std::chrono::milliseconds timeout) noexcept;

 private:
  DeviceSpan* take(const StreamState& state, CommunicatorId communicator,
                   bool is_wait) noexcept;
  void submit(DeviceSpan* span) noexcept;
  // Stops creating spans. `why` is counted for later operations.
  void endEvents(Untimed::Reason why) noexcept;
  void run() noexcept;
  bool step() noexcept;

  const std::unique_ptr<DeviceEvents> events_;
  const DeviceTimeMode mode_;
  const std::unique_ptr<DeviceSink> sink_;
  Untimed& untimed_;
  EventPool pool_;
  // Set by the thread. `why_none_` is the reason while no events exist.
  std::atomic<bool> has_events_{false};
  std::atomic<Untimed::Reason> why_none_{Untimed::Reason::kStarting};
  std::atomic<std::int64_t> quiet_until_ns_{0};
  DeviceResolver resolver_;  // used by the thread only

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false;  // whether or not events could be created
  bool stopping_ = false;
  bool stopped_ = false;

  std::thread thread_;
};

}  // namespace traced
