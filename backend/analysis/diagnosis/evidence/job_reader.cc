#include "analysis/diagnosis/evidence/job_reader.h"

#include <utility>

#include "analysis/clocks/aligned_streams.h"

namespace traced {

JobState readJob(const TraceSet& set, std::size_t threads) {
  JobStateBuilder builder(set);
  AlignedClocks clocks = readAndAlign(
      set, threads,
      [&](std::size_t, const StreamTable& table) { builder.add(table); });
  return std::move(builder).finish(std::move(clocks));
}

}  // namespace traced
