// A window on a run: the operations that were issued in some training steps, or
// in a stretch of time.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/figures/step_range.h"
#include "analysis/job/ready_times.h"
#include "analysis/reading/trace_set.h"
#include "analysis/stream/stream_table.h"
#include "base/instant.h"
#include "traced/v1/clock.pb.h"

namespace traced {

struct RunWindow {
  StepRange steps;
  // After the first rank began to record.
  std::optional<std::int64_t> since_ns;
  std::optional<std::int64_t> until_ns;

  bool all() const { return steps.all() && !since_ns && !until_ns; }
  // "steps 10-49, 2.5 s to 10 s"; "" of all.
  std::string text() const;
};

// When the first of the selected streams began, on the common time line.
// `models`: of all streams.
std::int64_t firstStartNs(const TraceSet& set,
                          const std::vector<v1::ClockModel>& models);

// The window of one stream, which it must not outlive.
class WindowFilter {
 public:
  WindowFilter(const RunWindow& window, const StreamTable& table,
               const v1::ClockModel& clock, std::int64_t first_start_ns);

  // By when it was issued.
  bool holds(const AssembledOperation& op) const;
  // When it begins and ends on the stream's own clock, within what was
  // recorded; the same instant where nothing of the stream is in it.
  Instant begin() const { return Instant(begin_ns_); }
  Instant end() const { return Instant(end_ns_); }

 private:
  void takeSteps();

  const RunWindow& window_;
  const StreamTable& table_;
  std::int64_t begin_ns_ = 0;
  std::int64_t end_ns_ = 0;
  bool to_the_end_ = true;
};

// Leaves what is in the window of a stream: its operations, and of its time
// the window. `ready`, where there is one, has a value for each operation.
// Returns how many operations went.
std::uint64_t cutTo(const WindowFilter& filter, StreamTable& table,
                    std::vector<ReadyTime>* ready = nullptr);

}  // namespace traced
