// DeviceEvents is what device times need of a device: events that can be
// recorded on its streams, and what the device says of them.
//
// recorder/device/cuda_events.h is the real one. currentStream(), capture() and
// record() are called by the threads that issue operations, and by none of them
// for long; all others by the one thread that resolves times. Nothing throws.

#pragma once

#include <cstdint>
#include <optional>

namespace traced {

class DeviceEvents {
 public:
  using Event = void*;
  using Stream = void*;

  enum class State : std::uint8_t { kPending, kReached, kFailed };

  // Whether what is put on a stream now becomes part of a graph.
  struct Capture {
    enum class Status : std::uint8_t { kNone, kActive, kUnknown };
    Status status = Status::kNone;
    std::uint64_t graph = 0;  // the capture's number, in the process
  };

  virtual ~DeviceEvents() = default;

  // The stream that the calling thread uses on this device; nullopt if there is
  // no telling. The null stream is a stream.
  virtual std::optional<Stream> currentStream() noexcept = 0;
  virtual Capture capture(Stream stream) noexcept = 0;
  // Puts the event at the end of the stream. False if the device refused.
  virtual bool record(Event event, Stream stream) noexcept = 0;

  // Prepares the calling thread for what follows. It must not disturb captures
  // of other threads. False: there is nothing to be had of this device.
  virtual bool enterThread() noexcept = 0;
  // nullptr if the device has none.
  virtual Event create() noexcept = 0;
  // A stream of our own that waits for no other.
  virtual std::optional<Stream> ownStream() noexcept = 0;
  virtual State query(Event event) noexcept = 0;
  // Between two events that were reached; negative if `to` came first.
  virtual std::optional<std::int64_t> elapsedNs(Event from,
                                                Event to) noexcept = 0;
};

}  // namespace traced
