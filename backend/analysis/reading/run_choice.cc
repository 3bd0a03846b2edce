#include "analysis/reading/run_choice.h"

#include <algorithm>
#include <utility>

#include "absl/container/btree_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "trace_io/chunk_format.h"

namespace traced {
namespace {

bool isTrace(const TraceStream& stream) {
  return !stream.dump_file && stream.header.schema() == kSchema;
}

absl::btree_set<std::uint32_t> attemptsOf(const TraceSet& set,
                                          const std::string& job) {
  absl::btree_set<std::uint32_t> attempts;
  for (const TraceStream& stream : set.streams) {
    if (isTrace(stream) && stream.header.job() == job) {
      attempts.insert(stream.header.attempt());
    }
  }
  return attempts;
}

}  // namespace

Result<TraceSet> chooseRun(TraceSet set, const RunChoice& choice) {
  if (!choice.attempt) return set;
  const TraceStream* newest = nullptr;
  for (const TraceStream& stream : set.streams) {
    if (!isTrace(stream)) continue;
    const bool newer = !newest || stream.header.started().realtime_ns() >
                                      newest->header.started().realtime_ns();
    if (newer) newest = &stream;
  }
  if (!newest) return Error{"no traces, so no attempts to choose from"};
  const std::string job = newest->header.job();
  const auto attempts = attemptsOf(set, job);
  if (!attempts.contains(*choice.attempt)) {
    return Error{absl::StrCat(
        "no attempt ", *choice.attempt, " of job \"", job, "\"; there ",
        attempts.size() == 1 ? "is " : "are ", absl::StrJoin(attempts, ", "))};
  }
  std::erase_if(set.streams, [&](const TraceStream& stream) {
    return !isTrace(stream) || stream.header.job() != job ||
           stream.header.attempt() != *choice.attempt;
  });
  return set;
}

}  // namespace traced
