// Names of operations in NCCL's Inspector.

#pragma once

#include "trace_io/message_size.h"
#include "traced/v1/definitions.pb.h"

namespace traced::inspector {

// Returns the name under which NCCL reports the operation, or nullptr if it has
// none.
inline const char* functionOf(v1::Operation op) {
  switch (trafficOf(op)) {
    case Traffic::kAllReduce:
      return "AllReduce";
    case Traffic::kGathered:
      return "AllGather";
    case Traffic::kScattered:
      return "ReduceScatter";
    case Traffic::kAllToAll:
      return "All2All";
    default:
      break;
  }
  if (op == v1::OPERATION_BROADCAST) return "Broadcast";
  if (op == v1::OPERATION_REDUCE) return "Reduce";
  if (op == v1::OPERATION_SEND) return "Send";
  if (op == v1::OPERATION_RECV) return "Recv";
  return nullptr;
}

}  // namespace traced::inspector
