// Marks are what stands between the operations of a stream: where training
// steps begin, where tracing was switched off and on again, and what happened.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/instant.h"
#include "trace_io/rows.h"

namespace traced {

// A stretch of a stream in which operations were not recorded, by the program's
// wish. Positions are ring positions, comparable with operation ids.
struct Pause {
  std::uint64_t begin_position = 0;
  std::uint64_t end_position = 0;
  Instant began;
  Instant ended;
};

// Whether the value of a mark of this kind (v1::MarkKind) is an operation's id.
bool isAboutOperation(std::uint32_t kind);

// Not thread safe.
class Marks {
 public:
  // A step begins at a position.
  struct Step {
    std::uint64_t position = 0;
    std::uint64_t number = 0;
    // Where the next one begins, be it one without a number.
    std::uint64_t end_position = std::numeric_limits<std::uint64_t>::max();
    // When; the end of the last one is not known.
    Instant began = {};
    Instant ended = {};
  };

  // Something that happened to the program: the trigger file was touched, an
  // operation failed, a group was aborted; or what is said of device times. See
  // MarkKind.
  struct Event {
    std::uint64_t position = 0;
    v1::MarkKind kind = v1::MARK_KIND_UNSPECIFIED;
    Instant at;
    std::uint64_t value = 0;
    std::uint32_t text = 0;
  };

  // What is said of device times, over the whole stream.
  struct DeviceTimes {
    // How far they can be off on the host's clock; absent: there are none.
    std::optional<std::uint64_t> error_ns;
    // How many operations and waits have none, and the text that says why.
    std::uint64_t untimed = 0;
    std::uint32_t text = 0;
  };

  // Marks may come in any order of chunks.
  void add(const MarkRow& row);

  // Puts them in order. A pause without an end lasts until `last`; one without
  // a beginning since `started`.
  void finish(Instant started, Instant last);

  // Only after finish(), all by position.
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<Pause>& pauses() const { return pauses_; }
  const std::vector<Event>& events() const { return events_; }
  const DeviceTimes& deviceTimes() const { return device_times_; }
  // The step that an operation belongs to, absent before the first mark and in
  // a step without a number: its index in steps(), and its number.
  std::optional<std::size_t> indexOf(std::uint64_t op_id) const;
  std::optional<std::uint64_t> stepOf(std::uint64_t op_id) const;
  // How long all pauses lasted.
  std::uint64_t pausedNs() const;

 private:
  void pair(Instant started, Instant last);
  void endLastStep(const MarkRow& row);
  void addDeviceTimes(const MarkRow& row);

  std::vector<MarkRow> rows_;
  std::vector<Step> steps_;
  std::vector<Pause> pauses_;
  std::vector<Event> events_;
  DeviceTimes device_times_;
};

}  // namespace traced
