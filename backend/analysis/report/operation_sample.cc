#include "analysis/report/operation_sample.h"

namespace traced {

OperationSample sampleOf(const AssembledOperation& op) {
  OperationSample sample;
  sample.host_ns = between(op.issued, op.returned);
  sample.wait_ns = between(op.wait_began, op.wait_ended);
  // How much a failed operation did until then is not known.
  if (!op.failed) sample.completion_ns = between(op.issued, op.ended);
  return sample;
}

void addTo(CallTotals& totals, const AssembledOperation& op,
           const OperationSample& sample, const OperationManner& manner) {
  ++totals.calls;
  if (sample.host_ns) totals.host.add(*sample.host_ns);
  if (sample.completion_ns) totals.completion.add(*sample.completion_ns);
  if (sample.wait_ns) totals.wait.add(*sample.wait_ns);
  totals.failed += op.failed;
  totals.captured += manner.captured;
  const bool no_end = !manner.captured && op.state() == OperationState::kIssued;
  totals.ends_unknown += no_end && !manner.in_batch;
  totals.ends_with_batch += no_end && manner.in_batch;
  totals.waits_unknown += manner.unseen_wait;
  if (!op.ended.known()) return;
  totals.ends_at_wait += op.end_source == v1::END_SOURCE_WAIT;
  totals.ends_by_future += op.end_source == v1::END_SOURCE_FUTURE;
  totals.ends_at_hook += op.end_source == v1::END_SOURCE_COMPLETION_HOOK;
}

}  // namespace traced
