// Writes the first lines of a text: the run and its limitations.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/job/group_catalog.h"
#include "analysis/job/run_summary.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// Returns the heading: "traces (job run42, attempt 0): 8 ranks on 2 hosts,
// torch 2.15.0, gloo; 00:12:41 long, 118 204 operations, nothing lost". It
// names losses, operations that were not recorded, and the time that tracing
// was switched off.
std::string headingText(const std::string& title, const TraceSet& set,
                        const RunSummary& summary);

// Returns, for example, "the last 0.8 s of ranks 0-3 are from shared memory";
// "" if everything is in files.
std::string fromRingsText(const RunSummary& summary);

// Returns, for example, "tracing was switched off 2 times, 3.100 s in all, on
// rank 0"; "" if it never was.
std::string pausesText(const RunSummary::Pauses& pauses);

// Returns lines on the accuracy and coverage of device times, each after
// `indent`; "" if the run has nothing to report.
std::string deviceTimesText(const RunSummary::DeviceTimes& times,
                            const std::string& indent = "");

}  // namespace traced
