// Marks holds the events between the operations of a stream: begins of training
// steps, pauses of tracing, and other incidents.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/instant.h"
#include "trace_io/rows.h"

namespace traced {

// A part of a stream in which the program had tracing switched off. Positions
// are ring positions, comparable with operation ids.
struct Pause {
  std::uint64_t begin_position = 0;
  std::uint64_t end_position = 0;
  Instant began;
  Instant ended;
};

// Returns whether the value of this kind of mark (v1::MarkKind) is an operation
// id.
bool isAboutOperation(std::uint32_t kind);

// Not thread safe.
class Marks {
 public:
  // A training step and the position at which it begins.
  struct Step {
    std::uint64_t position = 0;
    std::uint64_t number = 0;
    // The next begin of a step, or of a part outside all steps.
    std::uint64_t end_position = std::numeric_limits<std::uint64_t>::max();
    // Times of begin and end. The end is unknown if the step never ended.
    Instant began = {};
    Instant ended = {};
  };

  // An incident, such as a touched trigger file, a failed operation, an aborted
  // group, or information about device times. See v1::MarkKind.
  struct Event {
    std::uint64_t position = 0;
    v1::MarkKind kind = v1::MARK_KIND_UNSPECIFIED;
    Instant at;
    std::uint64_t value = 0;
    std::uint32_t text = 0;
  };

  // Information about device times, over the whole stream.
  struct DeviceTimes {
    // Maximum error on the host's clock. Absent without device times.
    std::optional<std::uint64_t> error_ns;
    // Number of operations and waits without device times, and the id of the
    // text with the reason.
    std::uint64_t untimed = 0;
    std::uint32_t text = 0;
  };

  // Adds a mark, in any order, before finish(). Its time is on the stream's
  // clock, in nanoseconds. Marks of unknown kinds are ignored. If several have
  // one position, the first added counts.
  void add(const MarkRow& row);

  // Sorts the marks and pairs the begins and ends of pauses. `started`, `last`:
  // the first and the last known instant of the stream. A pause without an end
  // lasts until `last`, and one without a begin starts at `started`. Call once.
  void finish(Instant started, Instant last);

  // Valid after finish(). Sorted by position.
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<Pause>& pauses() const { return pauses_; }
  const std::vector<Event>& events() const { return events_; }
  const DeviceTimes& deviceTimes() const { return device_times_; }
  // Return the step that contains an operation, as an index into steps() or as
  // the program's number. Return nullopt if it is in no step.
  std::optional<std::size_t> indexOf(std::uint64_t op_id) const;
  std::optional<std::uint64_t> stepOf(std::uint64_t op_id) const;
  // Returns the total duration of all pauses.
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
