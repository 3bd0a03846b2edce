#include "ring_io/chunks/told_operation.h"

#include <algorithm>

#include "ring_io/chunks/operation_name.h"

namespace traced {

CallFacts factsOf(const v1::Call& call) {
  return {static_cast<Operation>(call.op()), call.group(),
          std::max(call.bytes_in(), call.bytes_out()),
          static_cast<std::int64_t>(call.peer_global_plus_1()) - 1};
}

ToldOperation tellOperation(OpId op, const CallFacts& call, std::uint64_t seq,
                            std::int64_t issue_ns, const ChunkBuilder& known) {
  ToldOperation told;
  told.op = op;
  told.operation = operationName(call.operation);
  if (const v1::Group* const group = known.group(call.group)) {
    told.group_name = group->name();
    told.group_desc = group->desc();
  }
  told.seq = seq;
  told.bytes = call.bytes;
  told.peer = call.peer;
  told.issue_ns = issue_ns;
  return told;
}

}  // namespace traced
