// Rules about the content of tensors, as far as TRACED_VALUES recorded it. They
// share one pass over all streams.

#pragma once

#include <memory>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/values/examined_stream.h"
#include "analysis/diagnosis/verdicts/verdict.h"
#include "analysis/reading/trace_set.h"

namespace traced {

class ValueRule {
 public:
  virtual ~ValueRule() = default;

  // Adds a stream. Streams are added in ascending order of rank.
  virtual void add(const ExaminedStream& stream) = 0;
  // Returns what all streams together show.
  virtual std::vector<JobVerdict> verdicts() = 0;
};

// Make the rules. They hold a reference to `job`.

// Finds transfers whose sides differ, and inputs that changed while in use.
std::unique_ptr<ValueRule> transferRule(const JobState& job);
// Finds operations whose inputs were the first with NaN.
std::unique_ptr<ValueRule> nanRule(const JobState& job);
// Finds tensors that come close to the end of their type's range, or overflow.
std::unique_ptr<ValueRule> overflowRule(const JobState& job);
// Finds the first tensor of a model whose copies differ.
std::unique_ptr<ValueRule> replicasRule(const JobState& job);

// Applies all of them. Reads the streams of `set` again if any rank has values.
std::vector<JobVerdict> findValueVerdicts(const JobState& job,
                                          const TraceSet& set);

}  // namespace traced
