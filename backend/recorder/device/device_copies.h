// DeviceCopies copies memory of one device to the host, behind the work of the
// caller's stream. Its own thread reads the copies once they have arrived.
// Nobody waits for the device.
//
// Thread safety: any thread. The destructor blocks until the thread has ended.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "recorder/device/device_events.h"
#include "recorder/device/device_times.h"
#include "recorder/device/host_blocks.h"

namespace traced {

class DeviceCopies {
 public:
  using Stream = DeviceEvents::Stream;
  // Called with true once the copies have arrived, with false if the device
  // failed or recording ends. Must not throw.
  using Reader = std::function<void(bool arrived)>;

  // Maximum number of batches in flight.
  static constexpr std::size_t kBatches = 1024;
  // Maximum time that the constructor waits for memory and events.
  static constexpr std::chrono::milliseconds kStartTimeout{1000};

  // Copies that are read together.
  class Batch {
   public:
    // Copies are not read unless whenArrived() was called.
    ~Batch();
    Batch(Batch&& other) noexcept;
    Batch& operator=(Batch&&) = delete;

    // Returns where the copy will be, or nullptr if there is no room or the
    // device refused. The memory is valid until the reader returns. Requires
    // `bytes` > 0.
    char* copy(const void* from, std::size_t bytes) noexcept;
    // Ends the batch. Calls `reader` once, in the thread of the copies, or here
    // if the device refuses. An empty reader is ignored.
    void whenArrived(Reader reader) noexcept;

   private:
    friend class DeviceCopies;
    Batch(DeviceCopies& copies, Stream stream, DeviceEvents::Event event)
        : copies_(copies), stream_(stream), event_(event) {}

    DeviceCopies& copies_;
    const Stream stream_;
    DeviceEvents::Event event_;  // nullptr after whenArrived()
    std::vector<char*> blocks_;
  };

  // `bytes` of the host's memory hold the copies. Returns once they exist, or
  // after kStartTimeout. Throws std::system_error if the thread cannot start.
  // `times` is of the same device and must outlive this object.
  DeviceCopies(DeviceTimes& times, std::size_t bytes);
  ~DeviceCopies();

  DeviceTimes::StreamState streamState() noexcept {
    return times_.streamState();
  }
  // Begins a batch on a stream that is not being captured. Returns nullopt if
  // too many are in flight, if the device failed or after stop().
  std::optional<Batch> begin(Stream stream) noexcept;

  // Reads the copies that arrive within a quarter of a second, gives up the
  // others and ends the thread. Returns false if the timeout passed first.
  bool stop(std::chrono::milliseconds timeout) noexcept;
  // From now on the thread makes no call to the device.
  void abandon() noexcept;

 private:
  struct Pending {
    DeviceEvents::Event event;
    std::vector<char*> blocks;
    Reader reader;
    DeviceEvents::State state = DeviceEvents::State::kPending;
  };

  void submit(Batch& batch, Reader& reader) noexcept;
  void run() noexcept;
  bool prepare() noexcept;
  // Requires the lock.
  void takeSubmitted() noexcept;
  // Reads the copies that have arrived.
  void readArrived() noexcept;

  DeviceTimes& times_;
  DeviceEvents& events_;
  const std::size_t bytes_;
  HostBlocks blocks_;
  // Whether copies can be made. It becomes true at most once: copies whose end
  // is unknown may still write to their memory.
  std::atomic<bool> open_{false};
  std::atomic<bool> abandoned_{false};

  // Used by the thread only.
  std::vector<Pending> pending_;  // capacity for all batches
  std::int64_t progress_ns_ = 0;  // of the latest arrival

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<DeviceEvents::Event> free_;
  std::vector<Pending> submitted_;  // capacity for all batches
  bool started_ = false;
  bool stopping_ = false;
  bool stopped_ = false;  // takes no more
  bool ended_ = false;

  std::thread thread_;
};

}  // namespace traced
