// What runs there are in a folder, and how each ended.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/reading/trace_set.h"
#include "analysis/stream/process_end.h"

namespace traced {

struct ListedRank {
  std::uint32_t rank = 0;
  // Its process lived when it was read.
  bool running = false;
  ProcessEnd end;
};

// An attempt of a job.
struct ListedRun {
  std::string job;
  std::uint32_t attempt = 0;
  std::uint32_t world_size = 0;
  // By rank, each once.
  std::vector<ListedRank> ranks;
  // By the wall clocks of their hosts: when the first rank began, and the
  // latest that any is known of.
  std::int64_t started_ns = 0;
  std::int64_t last_ns = 0;
  // Where the traces are: the folder of the first file, and how many there are.
  std::string folder;
  std::size_t files = 0;
};

struct RunList {
  // The newest first.
  std::vector<ListedRun> runs;
  std::size_t dumps = 0;
  std::size_t unknown_schema = 0;
};

// A run is what the other verbs take for one (run_split.h): that of the newest
// stream, then that of the newest of the rest, and so on. Only the end of each
// stream is read; `set` has nothing else afterwards.
RunList listRuns(TraceSet& set);

// The attempts of the job that is looked at, the newest first: of each the
// newest run.
std::vector<ListedRun> attemptsOf(const TraceSet& set);

}  // namespace traced
