#include "analysis/diagnosis/evidence/job_reader.h"

#include <utility>

#include "analysis/clocks/aligned_streams.h"

namespace traced {

JobState readJob(const TraceSet& set, std::size_t threads) {
  JobStateBuilder builder(set);
  AlignedClocks clocks = readAligned(
      set, threads,
      [&](std::size_t, const StreamTable& table, const v1::ClockModel& clock) {
        builder.add(table, clock);
      });
  return std::move(builder).finish(std::move(clocks.warnings));
}

}  // namespace traced
