#include "ring_io/chunks/operation_summary.h"

#include <algorithm>

namespace traced {
namespace {

// The names in proto/traced/v1/definitions.proto, in the same order. They are
// literals, so that a lookup cannot fail for lack of memory.
constexpr const char* kNames[] = {
    "unspecified",
    "all_reduce",
    "all_reduce_coalesced",
    "all_reduce_sparse",
    "broadcast",
    "reduce",
    "all_gather",
    "all_gather_coalesced",
    "all_gather_into_tensor",
    "all_gather_into_tensor_coalesced",
    "gather",
    "gather_into_tensor",
    "scatter",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "reduce_scatter_tensor_coalesced",
    "all_to_all",
    "all_to_all_single",
    "send",
    "recv",
    "barrier",
    "monitored_barrier",
    "coalesced",
    "reconfigure",
    "split",
    "merge",
    "shrink",
    "suspend",
    "resume",
};
static_assert(sizeof kNames / sizeof *kNames == kOperationCount);

}  // namespace

const char* operationName(Operation op) noexcept {
  const auto index = static_cast<unsigned int>(op);
  return index < unsigned{kOperationCount} ? kNames[index] : "operation";
}

CallFacts factsOf(const v1::Call& call) {
  return {static_cast<Operation>(call.op()), call.group(),
          std::max(call.bytes_in(), call.bytes_out()),
          static_cast<std::int64_t>(call.peer_global_plus_1()) - 1};
}

OperationSummary summarize(OpId op, const CallFacts& call, std::uint64_t seq,
                           std::int64_t issue_ns, const ChunkBuilder& known) {
  OperationSummary summary;
  summary.op = op;
  summary.operation = operationName(call.operation);
  if (const v1::Group* const group = known.group(call.group)) {
    summary.group_name = group->name();
    summary.group_desc = group->desc();
  }
  summary.seq = seq;
  summary.bytes = call.bytes;
  summary.peer = call.peer;
  summary.issue_ns = issue_ns;
  return summary;
}

}  // namespace traced
