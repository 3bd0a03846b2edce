#include "analysis/job/matched_calls.h"

#include <algorithm>

#include "analysis/job/group_catalog.h"
#include "analysis/job/signature.h"
#include "analysis/stream/operation_kinds.h"

namespace traced {

void UnclearPairs::add(std::uint32_t group, const EngineTraits& engine,
                       std::uint32_t self, const v1::Call& call) {
  // NCCL ignores tags and does not support receives from any source.
  if (engine.tags == EngineTraits::Tags::kIgnored) return;
  if (call.peer_global_plus_1() == 0) {
    any_source_.emplace(group, self);
    return;
  }
  const MessageEnds pair =
      messageEndsOf(group, self, call.peer_global_plus_1() - 1, call.op());
  const auto [known, is_new] = tags_.try_emplace(pair, call.tag());
  if (known->second != call.tag()) several_tags_.insert(pair);
}

namespace {

// Returns a number that is equal on all ranks with the same call.
std::uint64_t callNumber(const v1::Call& call, const StreamTable& table,
                         const EngineTraits& engine) {
  return signatureNumber(isPointToPoint(call.op())
                             ? messageOf(call, engine)
                             : signatureOf(call, table.capabilities));
}

}  // namespace

MatchedCalls::MatchedCalls(const StreamTable& table,
                           absl::Span<const std::uint32_t> groups) {
  UnclearPairs unclear;
  calls_.reserve(table.definitions.calls().size());
  for (const v1::Call& call : table.definitions.calls()) {
    MatchedCall& matched = calls_.emplace_back();
    const std::uint32_t local = table.groupOf(call);
    if (local == StreamDefinitions::kNone || call.simulated()) continue;
    if (groups[local] == GroupCatalog::kNone) continue;
    const GroupDefinition& group = table.definitions.groups()[local];
    matched.group_size = group.members.size();
    matched.key.group = groups[local];
    matched.usable = matched.group_size > 1 && group.engine().ends_prove_starts;
    matched.signature = callNumber(call, table, group.engine());
    matched.role = dependencyRole(call, matched.group_size, group.group_rank);
    matched.parts = isPointToPoint(call.op()) ? 2 : matched.group_size;
    if (!isPointToPoint(call.op())) continue;
    const std::uint32_t self = table.header.rank();
    unclear.add(matched.key.group, group.engine(), self, call);
    const MessageEnds pair = messageEndsOf(
        matched.key.group, self, call.peer_global_plus_1() - 1, call.op());
    matched.key.source = pair.source;
    matched.key.destination = pair.destination;
    matched.usable &= call.peer_global_plus_1() > 0;
  }
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    if (!isPointToPoint(table.definitions.calls()[i].op())) continue;
    const OperationKey& key = calls_[i].key;
    calls_[i].usable &=
        !unclear.contains({key.group, key.source, key.destination});
  }
}

bool MatchedCalls::anyUsable() const {
  return std::any_of(calls_.begin(), calls_.end(),
                     [](const MatchedCall& call) { return call.usable; });
}

}  // namespace traced
