// The steps that a rank marked, as windows of its own clock.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/job/time_windows.h"
#include "analysis/stream/stream_table.h"

namespace traced {

struct StepWindow {
  std::uint64_t number = 0;
  TimeWindow window;
  // False if the stream ended in an operation of this step. The window then
  // lasts until the end of the stream.
  bool ended = true;
};

// Returns the steps whose begin and end are known, sorted and disjoint. If the
// stream ends inside an operation, also its last step.
std::vector<StepWindow> stepWindows(const StreamTable& table);

}  // namespace traced
