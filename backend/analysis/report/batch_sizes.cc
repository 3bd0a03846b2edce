#include "analysis/report/batch_sizes.h"

#include "analysis/figures/bandwidth.h"

namespace traced {
namespace {

BatchSize sizeOf(const StreamTable& table, const v1::Call& call) {
  const std::uint32_t group = table.groupOf(call);
  const GroupDefinition* known = group == StreamDefinitions::kNone
                                     ? nullptr
                                     : &table.definitions.groups()[group];
  const std::uint32_t group_size = known ? known->members.size() : 0;
  BatchSize size;
  size.message_bytes = messageBytes(call, group_size);
  const auto factor =
      busFactor(call, group_size, known ? known->group_rank : 0);
  size.has_bandwidth = factor.has_value();
  size.bus_bytes = static_cast<double>(size.message_bytes) * factor.value_or(0);
  return size;
}

}  // namespace

BatchSizes::BatchSizes(const StreamTable& table) {
  if (table.lostSomething()) return;
  absl::flat_hash_map<std::uint32_t, BatchSize> by_call;
  for (const AssembledOperation& op : table.operations) {
    const v1::Call* call = op.batch > 0 ? table.callOf(op) : nullptr;
    if (!call || call->op() == v1::OPERATION_COALESCED) continue;
    const auto [known, is_new] = by_call.try_emplace(op.call);
    if (is_new) known->second = sizeOf(table, *call);
    BatchSize& batch = sizes_[op.batch];
    batch.message_bytes += known->second.message_bytes;
    batch.bus_bytes += known->second.bus_bytes;
    batch.has_bandwidth &= known->second.has_bandwidth;
  }
}

const BatchSize* BatchSizes::of(const StreamTable& table,
                                const AssembledOperation& op) const {
  if (op.batch == 0) return nullptr;
  const v1::Call* call = table.callOf(op);
  if (!call || call->op() != v1::OPERATION_COALESCED) return nullptr;
  const auto found = sizes_.find(op.batch);
  return found == sizes_.end() ? nullptr : &found->second;
}

}  // namespace traced
