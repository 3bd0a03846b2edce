// The last line of a job's log. `title` is the trace folder as users see it.

#pragma once

#include <cstdint>
#include <string>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

// Counts the streams of a job on this host by what happened to them.
struct EndedStreams {
  std::uint64_t streams = 0;
  // Streams that their process did not close. `unsaved` and `being_saved` count
  // those that could not be saved and those that are not saved yet.
  std::uint64_t unclosed = 0;
  std::uint64_t unsaved = 0;
  // Streams in no trace and no shared memory because both were removed.
  std::uint64_t lost = 0;
  std::uint64_t being_saved = 0;
  // Records that were made but are in no trace.
  std::uint64_t dropped_records = 0;
};

// Returns the headline of a verdict, the action that helps, if any, and the
// command that shows its proof.
std::string verdictLine(const JobState& job, const JobVerdict& verdict,
                        const std::string& title);

// Returns the line for a job without a verdict.
std::string plainLine(const EndedStreams& job, const std::string& title);

}  // namespace traced
