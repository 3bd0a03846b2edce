// Devices holds the DeviceTimes of each device that the process uses, by its
// index. What they find out goes into the process's one trace.
//
// Thread safety: all from any thread. None waits but stop(), and start() for
// events.

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>

#include "recorder/device/aborted_communicators.h"
#include "recorder/device/device_events.h"
#include "recorder/device/device_times.h"
#include "recorder/device/untimed.h"
#include "ring_io/settings/options.h"

namespace traced {

class Recorder;

class Devices {
 public:
  // Indices are c10's, which are 8 bits wide.
  static constexpr int kMax = 128;
  // How long the end of the process waits for devices.
  static constexpr std::chrono::milliseconds kExitDeadline{500};

  Devices(Recorder& recorder, DeviceTimeMode mode)
      : recorder_(recorder), mode_(mode) {}

  // What measures on a device, once there is one; never gone again.
  DeviceTimes* find(int device) const noexcept {
    return isIndex(device) ? times_[at(device)].load(std::memory_order_acquire)
                           : nullptr;
  }
  // Makes it, unless there is one already; nullptr if there can be none, which
  // is said on stderr if device times are wanted. The device is in use by now.
  DeviceTimes* start(int device, std::unique_ptr<DeviceEvents> events) noexcept;

  // What a group gets when it is made, and gives up when it is aborted: from
  // then on nothing is told of what it had under way. Others are not concerned.
  CommunicatorId newCommunicator() noexcept {
    return communicators_.fetch_add(1, std::memory_order_relaxed);
  }
  void aborting(CommunicatorId communicator) noexcept {
    aborted_.add(communicator);
  }
  bool wasAborted(CommunicatorId communicator) const noexcept {
    return aborted_.contains(communicator);
  }

  // Ends them all, within the deadline, and starts no more.
  void stop(std::chrono::milliseconds deadline) noexcept;

  DeviceTimeMode mode() const { return mode_; }
  // Of all devices.
  const Untimed& untimed() const { return untimed_; }

 private:
  class Records;
  // The marks that all devices share: a bound holds for every one of them.
  struct Shared {
    std::mutex mutex;
    std::int64_t error_ns = 0;
    std::uint64_t untimed = 0;
  };

  static bool isIndex(int device) { return device >= 0 && device < kMax; }
  static std::size_t at(int device) { return static_cast<std::size_t>(device); }
  static void stopBeforeCudaEnds();
  void sayNone(const char* why) noexcept;

  Recorder& recorder_;
  const DeviceTimeMode mode_;
  Untimed untimed_;
  Shared shared_;
  std::atomic<CommunicatorId> communicators_{0};
  AbortedCommunicators aborted_;
  std::atomic<bool> said_none_{false};
  std::mutex starting_;
  bool stopped_ = false;  // guarded by starting_
  std::array<std::atomic<DeviceTimes*>, kMax> times_{};
};

}  // namespace traced
