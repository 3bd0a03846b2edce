// The lines at the top of a text: what run this is, and what to know of it.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/job/group_catalog.h"
#include "analysis/job/run_summary.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// "traces (job run42, attempt 0): 8 ranks on 2 hosts, torch 2.15.0, gloo;
// 00:12:41 long, 118 204 operations, nothing lost", or what was lost, what was
// not recorded, and for how long tracing was switched off.
std::string headingText(const std::string& title, const TraceSet& set,
                        const RunSummary& summary);

// "the last 0.8 s of ranks 0-3 are from shared memory"; "" when all is in
// files.
std::string fromRingsText(const RunSummary& summary);

// "tracing was switched off 2 times, 3.100 s in all, on rank 0"; "" when it
// never was.
std::string pausesText(const RunSummary::Pauses& pauses);

// Lines about how well device times are known, each after `indent`; "" where
// there are none to speak of.
std::string deviceTimesText(const RunSummary::DeviceTimes& times,
                            const std::string& indent = "");

}  // namespace traced
