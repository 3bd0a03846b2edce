#include "cli/export/otf2/communication.h"

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

namespace {

struct Message {
  std::uint32_t peer;
  OTF2_CommRef group;
  std::uint32_t tag;
  std::uint64_t bytes;
  std::uint64_t request;
};

Message messageOf(const Communication& communication, std::uint64_t bytes) {
  return {communication.peer_plus_1 - 1, communication.group,
          static_cast<std::uint32_t>(communication.call.tag()), bytes,
          communication.request};
}

// Returns false without writing if the receiver is unknown.
bool writeSend(const Communication& communication) {
  if (communication.peer_plus_1 == 0) return false;
  const Message sent = messageOf(communication, communication.call.bytes_in());
  communication.begin.write([&](OTF2_EvtWriter* to, std::uint64_t time) {
    return OTF2_EvtWriter_MpiIsend(to, communication.facts.list(), time,
                                   sent.peer, sent.group, sent.tag, sent.bytes,
                                   sent.request);
  });
  if (!communication.end_ns) return true;
  communication.begin.writeAt(
      *communication.end_ns, [request = communication.request](
                                 OTF2_EvtWriter* to, std::uint64_t time) {
        return OTF2_EvtWriter_MpiIsendComplete(to, nullptr, time, request);
      });
  return true;
}

// Returns false without writing if the receive has ended and its sender is
// unknown.
bool writeReceive(const Communication& communication) {
  if (communication.peer_plus_1 == 0 && communication.end_ns) return false;
  communication.begin.write([&](OTF2_EvtWriter* to, std::uint64_t time) {
    return OTF2_EvtWriter_MpiIrecvRequest(to, communication.facts.list(), time,
                                          communication.request);
  });
  if (!communication.end_ns) return true;
  const Message got = messageOf(communication, communication.call.bytes_out());
  communication.begin.writeAt(
      *communication.end_ns, [got](OTF2_EvtWriter* to, std::uint64_t time) {
        return OTF2_EvtWriter_MpiIrecv(to, nullptr, time, got.peer, got.group,
                                       got.tag, got.bytes, got.request);
      });
  return true;
}

void writeCollective(const Communication& communication, OTF2_CollectiveOp op) {
  communication.begin.write([&](OTF2_EvtWriter* to, std::uint64_t time) {
    return communication.at_once ? OTF2_EvtWriter_MpiCollectiveBegin(
                                       to, communication.facts.list(), time)
                                 : OTF2_EvtWriter_NonBlockingCollectiveRequest(
                                       to, communication.facts.list(), time,
                                       communication.request);
  });
  if (!communication.end_ns) return;
  const v1::Call& call = communication.call;
  const std::uint32_t root =
      call.root_plus_1() ? call.root_plus_1() - 1 : OTF2_UNDEFINED_UINT32;
  communication.begin.writeAt(
      *communication.end_ns,
      [op, root, group = communication.group, sent = call.bytes_in(),
       got = call.bytes_out(), request = communication.request,
       at_once = communication.at_once](OTF2_EvtWriter* to,
                                        std::uint64_t time) {
        return at_once ? OTF2_EvtWriter_MpiCollectiveEnd(to, nullptr, time, op,
                                                         group, root, sent, got)
                       : OTF2_EvtWriter_NonBlockingCollectiveComplete(
                             to, nullptr, time, op, group, root, sent, got,
                             request);
      });
}

}  // namespace

bool writeEvents(const Communication& communication) {
  if (communication.call.op() == v1::OPERATION_SEND)
    return writeSend(communication);
  if (communication.call.op() == v1::OPERATION_RECV)
    return writeReceive(communication);
  const auto collective = collectiveOf(communication.call);
  if (collective) writeCollective(communication, *collective);
  return collective.has_value();
}

}  // namespace traced::otf2
