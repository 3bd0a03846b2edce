#include "analysis/clocks/matched_calls.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "analysis/bandwidth.h"
#include "analysis/operation_kinds.h"

namespace traced {
namespace {

v1::DType dtypeOf(const v1::Call& call) {
  if (call.input_size() > 0) return call.input(0).dtype();
  return call.output_size() > 0 ? call.output(0).dtype()
                                : v1::DTYPE_UNSPECIFIED;
}

// Each rank of an all-to-all may send as much as it likes.
bool sizesMayDiffer(v1::Operation op) {
  return op == v1::OPERATION_ALL_TO_ALL ||
         op == v1::OPERATION_ALL_TO_ALL_SINGLE;
}

std::uint64_t signatureOf(const v1::Call& call, std::uint32_t group_size) {
  // A send and its receive are called differently.
  const int op = isPointToPoint(call.op()) ? v1::OPERATION_SEND : call.op();
  const std::uint64_t bytes =
      sizesMayDiffer(call.op()) ? 0 : messageBytes(call, group_size);
  return absl::HashOf(op, static_cast<int>(call.reduce_op()),
                      static_cast<int>(dtypeOf(call)), call.root_plus_1(),
                      call.tag(), bytes);
}

using Pair = std::pair<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>;

Pair pairOf(const OperationKey& key) {
  return {key.group, {key.source, key.destination}};
}

// Which sends and receives can be told apart by their numbers alone.
class Pairs {
 public:
  void add(const v1::Call& call, const OperationKey& key) {
    if (call.op() == v1::OPERATION_RECV && call.peer_plus_1() == 0) {
      any_source_.insert(key.group);
      return;
    }
    const auto [place, is_new] = tags_.try_emplace(pairOf(key), call.tag());
    if (place->second != call.tag()) several_tags_.insert(pairOf(key));
  }

  bool clear(const v1::Call& call, const OperationKey& key) const {
    return call.peer_plus_1() > 0 && !several_tags_.contains(pairOf(key)) &&
           !(call.op() == v1::OPERATION_RECV &&
             any_source_.contains(key.group));
  }

 private:
  absl::flat_hash_map<Pair, std::int32_t> tags_;
  absl::flat_hash_set<Pair> several_tags_;
  absl::flat_hash_set<std::uint32_t> any_source_;
};

}  // namespace

MatchedCalls::MatchedCalls(const StreamTable& table,
                           absl::Span<const std::uint32_t> groups) {
  Pairs pairs;
  calls_.reserve(table.definitions.calls().size());
  for (const v1::Call& call : table.definitions.calls()) {
    MatchedCall& matched = calls_.emplace_back();
    const std::uint32_t local = table.groupOf(call);
    if (local == StreamDefinitions::kNone || call.simulated()) continue;
    const GroupDefinition& group = table.definitions.groups()[local];
    matched.group_size = group.members.size();
    matched.key.group = groups[local];
    matched.usable = matched.group_size > 1;
    matched.signature = signatureOf(call, matched.group_size);
    matched.role = dependencyRole(call, matched.group_size, group.group_rank);
    matched.parts = isPointToPoint(call.op()) ? 2 : matched.group_size;
    if (!isPointToPoint(call.op())) continue;
    const bool sends = call.op() == v1::OPERATION_SEND;
    const std::uint32_t self = table.header.rank();
    const std::uint32_t peer = call.peer_global_plus_1() - 1;
    matched.key.source = sends ? self : peer;
    matched.key.destination = sends ? peer : self;
    pairs.add(call, matched.key);
  }
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const v1::Call& call = table.definitions.calls()[i];
    if (!calls_[i].usable || !isPointToPoint(call.op())) continue;
    calls_[i].usable = pairs.clear(call, calls_[i].key);
  }
}

const MatchedCall* MatchedCalls::of(const AssembledOperation& op) const {
  if (op.call == AssembledOperation::kNoCall || op.seq == 0) return nullptr;
  const MatchedCall& matched = calls_[op.call];
  return matched.usable ? &matched : nullptr;
}

}  // namespace traced
