// A report of digests.

#pragma once

#include <string>
#include <vector>

#include "analysis/reading/trace_set.h"
#include "analysis/report/report.h"

namespace traced {

// What digests tell rows apart by.
bool isDigestKey(ReportKey key);

// The same report as of the traces that were digested, but for its pictures.
// Selected streams that are not digests are added up as a digest would be. Of
// streams that were digested apart, clocks are not compared, no trend is told,
// and times between them are not known: a warning says so.
// `by`: isDigestKey() of each. `fold`: as of buildReport().
Report reportOfDigests(const TraceSet& set, std::vector<ReportKey> by,
                       bool fold);

}  // namespace traced
