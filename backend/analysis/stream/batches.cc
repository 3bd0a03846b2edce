#include "analysis/stream/batches.h"

#include "analysis/stream/operation_kinds.h"

namespace traced {

Batches::Batches(const StreamTable& table) {
  for (const AssembledOperation& op : table.operations) {
    const v1::Call* call = op.batch > 0 ? table.callOf(op) : nullptr;
    if (!call) continue;
    Batch& batch = batches_[op.batch];
    if (call->op() == v1::OPERATION_COALESCED) {
      if (!batch.end) batch.end = &op;
      continue;
    }
    ++batch.members;
    if (!batch.first_collective && !isPointToPoint(call->op())) {
      batch.first_collective = &op;
    }
  }
}

const Batch* Batches::of(const AssembledOperation& op) const {
  const auto found = op.batch > 0 ? batches_.find(op.batch) : batches_.end();
  return found != batches_.end() ? &found->second : nullptr;
}

bool Batches::hasMember(const AssembledOperation& op) const {
  const Batch* batch = of(op);
  return batch && batch->end && batch->end != &op;
}

}  // namespace traced
