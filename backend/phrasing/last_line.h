// The last line of a job's log. `title` is the folder as it is shown.

#pragma once

#include <cstdint>
#include <string>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

// What became of the streams of a job on this host.
struct EndedStreams {
  std::uint64_t streams = 0;
  // How many were not closed by their process; of those, what could not be
  // saved, and what is not yet.
  std::uint64_t unclosed = 0;
  std::uint64_t unsaved = 0;
  // In no trace and no shared memory: somebody removed both.
  std::uint64_t lost = 0;
  std::uint64_t being_saved = 0;
  // Records that they made and that are in no trace.
  std::uint64_t dropped_records = 0;
};

std::string verdictLine(const JobState& job, const JobVerdict& verdict,
                        const std::string& title);

// What is known without a verdict.
std::string plainLine(const EndedStreams& job, const std::string& title);

}  // namespace traced
