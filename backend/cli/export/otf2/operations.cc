#include "cli/export/otf2/operations.h"

#include "analysis/stream/operation_kinds.h"
#include "trace_io/message_size.h"

namespace traced::otf2 {

std::optional<OTF2_CollectiveOp> collectiveOf(const v1::Call& call) {
  switch (call.op()) {
    case v1::OPERATION_BROADCAST:
      return OTF2_COLLECTIVE_OP_BCAST;
    case v1::OPERATION_REDUCE:
      return OTF2_COLLECTIVE_OP_REDUCE;
    case v1::OPERATION_BARRIER:
    case v1::OPERATION_MONITORED_BARRIER:
      return OTF2_COLLECTIVE_OP_BARRIER;
    case v1::OPERATION_REDUCE_SCATTER:
      return OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
    case v1::OPERATION_ALL_TO_ALL:
      return OTF2_COLLECTIVE_OP_ALLTOALLW;
    default:
      break;
  }
  switch (trafficOf(call.op())) {
    case Traffic::kAllReduce:
      return OTF2_COLLECTIVE_OP_ALLREDUCE;
    case Traffic::kGathered:
      return OTF2_COLLECTIVE_OP_ALLGATHER;
    case Traffic::kGatherRoot:
      return OTF2_COLLECTIVE_OP_GATHER;
    case Traffic::kScattered:
      return OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK;
    case Traffic::kScatterRoot:
      return OTF2_COLLECTIVE_OP_SCATTER;
    case Traffic::kAllToAll:
      return call.split_in().empty() && call.splits_cut() == 0
                 ? OTF2_COLLECTIVE_OP_ALLTOALL
                 : OTF2_COLLECTIVE_OP_ALLTOALLV;
    default:
      return std::nullopt;
  }
}

OTF2_RegionRole roleOf(v1::Operation op) {
  if (isPointToPoint(op)) return OTF2_REGION_ROLE_POINT2POINT;
  switch (op) {
    case v1::OPERATION_BARRIER:
    case v1::OPERATION_MONITORED_BARRIER:
      return OTF2_REGION_ROLE_BARRIER;
    case v1::OPERATION_BROADCAST:
    case v1::OPERATION_SCATTER:
      return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case v1::OPERATION_REDUCE:
    case v1::OPERATION_GATHER:
    case v1::OPERATION_GATHER_INTO_TENSOR:
      return OTF2_REGION_ROLE_COLL_ALL2ONE;
    default:
      return trafficOf(op) == Traffic::kNone ? OTF2_REGION_ROLE_COLL_OTHER
                                             : OTF2_REGION_ROLE_COLL_ALL2ALL;
  }
}

}  // namespace traced::otf2
