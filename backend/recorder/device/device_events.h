// DeviceEvents is the device interface that device times and copies need:
// events that can be recorded on streams and queried, and copies to the host.
//
// recorder/device/cuda_events.h implements it. Threads that issue operations
// call currentStream(), capture(), record() and copyToHost(), which must be
// fast. Only the recorder's own threads call the others. No function throws.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace traced {

class DeviceEvents {
 public:
  using Event = void*;
  using Stream = void*;

  enum class State : std::uint8_t { kPending, kReached, kFailed };

  // Describes whether work added to a stream now becomes part of a graph.
  struct Capture {
    enum class Status : std::uint8_t { kNone, kActive, kUnknown };
    Status status = Status::kNone;
    std::uint64_t graph = 0;  // id of the capture, unique in the process
  };

  virtual ~DeviceEvents() = default;

  // Returns the stream that the calling thread uses on this device, or nullopt
  // if unknown. The null stream is valid.
  virtual std::optional<Stream> currentStream() noexcept = 0;
  // Returns the capture state of a stream. It is kUnknown if the query failed
  // or the capture was invalidated.
  virtual Capture capture(Stream stream) noexcept = 0;
  // Records the event at the end of the stream. Returns false if the device
  // refused.
  virtual bool record(Event event, Stream stream) noexcept = 0;
  // Copies `bytes` of the device's memory, behind the work of the stream. `to`
  // is from allocateHost(). Returns false if the device refused.
  virtual bool copyToHost(char* to, const void* from, std::size_t bytes,
                          Stream stream) noexcept = 0;

  // Returns the address of the device on its bus, such as "0000:1b:00.0"; "" if
  // unknown.
  virtual std::string busId() noexcept { return ""; }

  // Prepares the calling thread for the functions below, without disturbing
  // captures of other threads. Returns false if the device is unusable.
  virtual bool enterThread() noexcept = 0;
  // Returns nullptr if no event is available.
  virtual Event create() noexcept = 0;
  // Returns memory of the host that the device can write; nullptr without. It
  // is never freed.
  virtual char* allocateHost(std::size_t bytes) noexcept = 0;
  // Returns a stream of the recorder's own that waits for no other stream.
  virtual std::optional<Stream> ownStream() noexcept = 0;
  // Returns the state of an event without waiting.
  virtual State query(Event event) noexcept = 0;
  // Returns the nanoseconds between two reached events; negative if `to` was
  // first.
  virtual std::optional<std::int64_t> elapsedNs(Event from,
                                                Event to) noexcept = 0;
};

}  // namespace traced
