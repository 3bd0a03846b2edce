// FakeDevice simulates a device with streams. Kernels have lengths, and an
// event is reached when its stream has reached it. The device clock has an
// offset, a drift and the resolution of CUDA's. The true times are known.
//
// Thread safety: any thread may call any function.

#pragma once

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "recorder/device/device_events.h"

namespace traced::testing {

class FakeDevice {
 public:
  using Clock = std::function<std::int64_t()>;
  using Stream = DeviceEvents::Stream;
  using Event = DeviceEvents::Event;

  explicit FakeDevice(Clock host) : host_(std::move(host)) {}

  // --- Controls

  static Stream stream(std::uintptr_t number) {
    return reinterpret_cast<Stream>(number);  // NOLINT: only a name
  }
  void setCurrentStream(Stream stream) {
    const std::lock_guard lock(mutex_);
    current_ = stream;
  }
  Stream currentStream() {
    const std::lock_guard lock(mutex_);
    return current_;
  }
  // Queues a kernel of this length on a stream.
  void run(Stream stream, std::int64_t ns) {
    const std::lock_guard lock(mutex_);
    busy_until_[stream] = std::max(busyUntil(stream), host_()) + ns;
  }
  // Makes a stream wait for all work queued so far on another one.
  void makeWait(Stream waiting, Stream other) {
    const std::lock_guard lock(mutex_);
    busy_until_[waiting] = std::max(busy_until_[waiting], busy_until_[other]);
  }
  // Starts a capture of a stream into the graph of this number.
  void capture(Stream stream, std::uint64_t graph) {
    const std::lock_guard lock(mutex_);
    captured_[stream] = graph;
  }
  void endCapture(Stream stream) {
    const std::lock_guard lock(mutex_);
    captured_.erase(stream);
  }
  // Blocks queries and the creation of events until release().
  void block() { set(blocked_, true); }
  void release() {
    set(blocked_, false);
    released_.notify_all();
  }
  // From now on no event is reached.
  void hang() { set(hangs_, true); }
  // From now on every query returns an error.
  void fail() { set(fails_, true); }
  // The next query returns an error.
  void failOnce() { set(fails_once_, true); }
  // From now on no event can be recorded, or none can be created.
  void refuseRecords() { set(refuses_, true); }
  void refuseEvents() { set(no_events_, true); }
  // Sets the device's clock: its offset from the host's clock, and how much
  // faster it runs, in parts per million.
  void setClock(std::int64_t offset_ns, double drift_ppm) {
    const std::lock_guard lock(mutex_);
    offset_ns_ = offset_ns;
    rate_ = 1 + drift_ppm / 1e6;
  }
  // Puts all streams into one queue: work waits for work that other streams
  // queued before.
  void shareOneQueue() { set(one_queue_, true); }
  // Sets the time until queued work is visible to the device.
  void setLatency(std::int64_t ns) {
    const std::lock_guard lock(mutex_);
    latency_ns_ = ns;
  }

  // --- Observations

  // Returns when a stream will have finished all queued work, on the host's
  // clock.
  std::int64_t idleAt(Stream stream) {
    const std::lock_guard lock(mutex_);
    return busy_until_[stream];
  }
  std::size_t queries() {
    const std::lock_guard lock(mutex_);
    return queries_;
  }
  // Returns how often the time between two events was queried.
  std::size_t measurements() {
    const std::lock_guard lock(mutex_);
    return measurements_;
  }
  std::size_t records() {
    const std::lock_guard lock(mutex_);
    return records_;
  }
  std::size_t recordsOn(Stream stream) {
    const std::lock_guard lock(mutex_);
    return records_on_[stream];
  }
  // Returns the threads that queried whether an event was reached.
  std::set<std::thread::id> askers() {
    const std::lock_guard lock(mutex_);
    return askers_;
  }
  // Returns whether work was queued on a stream during its capture.
  bool disturbedCapture() {
    const std::lock_guard lock(mutex_);
    return disturbed_;
  }

  std::unique_ptr<DeviceEvents> events() {
    return std::make_unique<Events>(*this);
  }

 private:
  struct FakeEvent {
    std::int64_t reached_at = 0;  // on the host's clock
  };

  class Events : public DeviceEvents {
   public:
    explicit Events(FakeDevice& device) : device_(device) {}
    std::optional<Stream> currentStream() noexcept override {
      return device_.currentStream();
    }
    Capture capture(Stream stream) noexcept override {
      const std::lock_guard lock(device_.mutex_);
      const auto found = device_.captured_.find(stream);
      if (found == device_.captured_.end()) return {};
      return {Capture::Status::kActive, found->second};
    }
    bool record(Event event, Stream stream) noexcept override {
      return device_.record(event, stream);
    }
    bool copyToHost(char* to, const void* from, std::size_t bytes,
                    Stream stream) noexcept override {
      return device_.copy(to, from, bytes, stream);
    }
    bool enterThread() noexcept override { return true; }
    Event create() noexcept override { return device_.create(); }
    char* allocateHost(std::size_t bytes) noexcept override {
      return device_.allocateHost(bytes);
    }
    std::optional<Stream> ownStream() noexcept override {
      return FakeDevice::stream(~std::uintptr_t{0});
    }
    State query(Event event) noexcept override { return device_.query(event); }
    std::optional<std::int64_t> elapsedNs(Event from,
                                          Event to) noexcept override {
      return device_.elapsedNs(from, to);
    }

   private:
    FakeDevice& device_;
  };

  void set(bool& flag, bool value) {
    const std::lock_guard lock(mutex_);
    flag = value;
  }
  static FakeEvent& of(Event event) { return *static_cast<FakeEvent*>(event); }

  Event create() {
    std::unique_lock lock(mutex_);
    released_.wait(lock, [this] { return !blocked_; });
    if (no_events_) return nullptr;
    return all_events_.emplace_back(std::make_unique<FakeEvent>()).get();
  }
  bool record(Event event, Stream stream) {
    const std::lock_guard lock(mutex_);
    ++records_;
    ++records_on_[stream];
    disturbed_ |= captured_.contains(stream);
    if (refuses_) return false;
    of(event).reached_at = std::max(host_() + latency_ns_, busyUntil(stream));
    return true;
  }
  // Copies at once. Readers must rely on the event.
  bool copy(char* to, const void* from, std::size_t bytes, Stream stream) {
    const std::lock_guard lock(mutex_);
    disturbed_ |= captured_.contains(stream);
    if (refuses_) return false;
    std::memcpy(to, from, bytes);
    return true;
  }
  char* allocateHost(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    return host_memory_.emplace_back(std::make_unique<char[]>(bytes)).get();
  }
  std::int64_t busyUntil(Stream stream) {
    std::int64_t until = busy_until_[stream];
    if (!one_queue_) return until;
    for (const auto& [other, busy] : busy_until_) until = std::max(until, busy);
    return until;
  }
  DeviceEvents::State query(Event event) {
    std::unique_lock lock(mutex_);
    ++queries_;
    askers_.insert(std::this_thread::get_id());
    released_.wait(lock, [this] { return !blocked_; });
    if (fails_ || std::exchange(fails_once_, false)) {
      return DeviceEvents::State::kFailed;
    }
    return !hangs_ && host_() >= of(event).reached_at
               ? DeviceEvents::State::kReached
               : DeviceEvents::State::kPending;
  }
  // Returns the time between two events with CUDA's resolution: half a
  // microsecond, in 32-bit milliseconds.
  std::optional<std::int64_t> elapsedNs(Event from, Event to) {
    const std::lock_guard lock(mutex_);
    ++measurements_;
    if (fails_) return std::nullopt;
    const auto on_device = [&](std::int64_t host_ns) {
      const double ns = static_cast<double>(host_ns) * rate_ +
                        static_cast<double>(offset_ns_);
      return std::floor(ns / 500) * 500;
    };
    const auto ms = static_cast<float>(
        (on_device(of(to).reached_at) - on_device(of(from).reached_at)) / 1e6);
    return std::llround(static_cast<double>(ms) * 1e6);
  }

  const Clock host_;
  std::mutex mutex_;
  std::condition_variable released_;
  bool blocked_ = false;
  Stream current_ = stream(1);
  std::map<Stream, std::int64_t> busy_until_;
  std::map<Stream, std::uint64_t> captured_;
  std::vector<std::unique_ptr<FakeEvent>> all_events_;
  std::vector<std::unique_ptr<char[]>> host_memory_;
  std::int64_t offset_ns_ = 0;
  double rate_ = 1;
  std::int64_t latency_ns_ = 2'000;
  bool one_queue_ = false;
  bool hangs_ = false;
  bool fails_ = false;
  bool fails_once_ = false;
  bool refuses_ = false;
  bool no_events_ = false;
  bool disturbed_ = false;
  std::size_t queries_ = 0;
  std::size_t measurements_ = 0;
  std::size_t records_ = 0;
  std::map<Stream, std::size_t> records_on_;
  std::set<std::thread::id> askers_;
};

}  // namespace traced::testing
