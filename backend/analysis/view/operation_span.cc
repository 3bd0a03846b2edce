#include "analysis/view/operation_span.h"

#include <algorithm>

namespace traced {
namespace {

// Returns the latest instant recorded for the operation.
Instant lastKnown(const AssembledOperation& op) {
  Instant last = op.issued;
  for (const Instant at : {op.returned, op.started, op.ended, op.wait_began,
                           op.wait_ended, op.released}) {
    if (at.known() && at.isAfter(last)) last = at;
  }
  return last;
}

// Returns false for calls that were captured into a graph or only estimated:
// they never get an end.
bool isCarriedOut(const v1::Call* call) {
  return !call || (call->graph_plus_1() == 0 && !call->simulated());
}

SpanEnd endOf(const StreamTable& table, const AssembledOperation& op) {
  if (op.failed) return SpanEnd::kFailed;
  if (between(op.issued, op.ended)) return SpanEnd::kEnded;
  const bool over = op.over || op.ended.known() || op.wait_ended.known() ||
                    op.released.known() || !isCarriedOut(table.callOf(op));
  return over ? SpanEnd::kNotSeen : SpanEnd::kOpen;
}

}  // namespace

OperationSpan spanOf(const StreamTable& table, const Batches& batches,
                     const AssembledOperation& op) {
  OperationSpan span{op.issued, lastKnown(op), endOf(table, op)};
  if (span.how == SpanEnd::kEnded) span.end = op.ended;
  if (span.how != SpanEnd::kNotSeen && span.how != SpanEnd::kOpen) return span;
  const Batch* batch = batches.hasMember(op) ? batches.of(op) : nullptr;
  if (batch && between(op.issued, batch->end->ended)) {
    span.end = batch->end->ended;
    span.how = SpanEnd::kWithBatch;
  }
  return span;
}

}  // namespace traced
