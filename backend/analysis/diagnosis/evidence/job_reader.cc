#include "analysis/diagnosis/evidence/job_reader.h"

#include <utility>

#include "analysis/clocks/align_clocks.h"
#include "analysis/reading/stream_reader.h"

namespace traced {

JobState readJob(const TraceSet& set, std::size_t threads) {
  JobStateBuilder builder(set, alignClocks(set));
  readStreams(
      set, set.selected, threads,
      [&](std::size_t, const StreamTable& table) { builder.add(table); });
  return std::move(builder).finish();
}

}  // namespace traced
