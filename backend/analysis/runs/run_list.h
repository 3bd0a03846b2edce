// Lists the runs in a folder and how each one ended.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/reading/trace_set.h"
#include "analysis/stream/process_end.h"

namespace traced {

struct ListedRank {
  std::uint32_t rank = 0;
  // The process was alive when the trace was read.
  bool running = false;
  ProcessEnd end;
};

// One attempt of a job.
struct ListedRun {
  std::string job;
  std::uint32_t attempt = 0;
  std::uint32_t world_size = 0;
  // Sorted by rank, each once.
  std::vector<ListedRank> ranks;
  // Start of the first rank and the latest known instant of any rank, in
  // nanoseconds since 1970 by the wall clocks of their hosts.
  std::int64_t started_ns = 0;
  std::int64_t last_ns = 0;
  // The folder of one of its files; "" if it was read from shared memory alone.
  std::string folder;
  // Number of files, summed over the ranks: a file with the traces of several
  // ranks counts once for each.
  std::size_t files = 0;
};

struct RunList {
  // Newest first.
  std::vector<ListedRun> runs;
  // Number of streams in no run: Flight Recorder dumps, and streams written in
  // an unknown schema.
  std::size_t dumps = 0;
  std::size_t unknown_schema = 0;
};

// Lists the runs of `set`, split as in every other command (run_split.h): first
// the run of the newest stream, then the run of the newest remaining stream,
// and so on. Reads only the end of each stream, and reduces `set` to that.
RunList listRuns(TraceSet& set);

// Returns the newest run of each attempt of the job of `set.selected`, newest
// first. Reads the end of each stream of that job. Returns nothing if the job
// has a single attempt or nothing is selected.
std::vector<ListedRun> attemptsOf(const TraceSet& set);

}  // namespace traced
