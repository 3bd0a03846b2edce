#include "cli/export/otf2/communication.h"

#include "analysis/stream/operation_kinds.h"
#include "cli/export/otf2/operations.h"

namespace traced::otf2 {
namespace {

struct Message {
  std::uint32_t peer;
  OTF2_CommRef group;
  std::uint32_t tag;
  std::uint64_t bytes;
  std::uint64_t request;
};

Message messageOf(const Communication& told, std::uint64_t bytes) {
  return {told.peer_plus_1 - 1, told.group,
          static_cast<std::uint32_t>(told.call.tag()), bytes, told.request};
}

bool writeSend(const Communication& told) {
  if (told.peer_plus_1 == 0) return false;
  const Message sent = messageOf(told, told.call.bytes_in());
  told.begin.write([&](OTF2_EvtWriter* to, std::uint64_t time) {
    return OTF2_EvtWriter_MpiIsend(to, told.facts.list(), time, sent.peer,
                                   sent.group, sent.tag, sent.bytes,
                                   sent.request);
  });
  if (!told.end_ns) return true;
  told.begin.writeAt(*told.end_ns, [request = told.request](
                                       OTF2_EvtWriter* to, std::uint64_t time) {
    return OTF2_EvtWriter_MpiIsendComplete(to, nullptr, time, request);
  });
  return true;
}

bool writeReceive(const Communication& told) {
  if (told.peer_plus_1 == 0 && told.end_ns) return false;
  told.begin.write([&](OTF2_EvtWriter* to, std::uint64_t time) {
    return OTF2_EvtWriter_MpiIrecvRequest(to, told.facts.list(), time,
                                          told.request);
  });
  if (!told.end_ns) return true;
  const Message got = messageOf(told, told.call.bytes_out());
  told.begin.writeAt(
      *told.end_ns, [got](OTF2_EvtWriter* to, std::uint64_t time) {
        return OTF2_EvtWriter_MpiIrecv(to, nullptr, time, got.peer, got.group,
                                       got.tag, got.bytes, got.request);
      });
  return true;
}

void writeCollective(const Communication& told, OTF2_CollectiveOp op) {
  told.begin.write([&](OTF2_EvtWriter* to, std::uint64_t time) {
    return told.at_once
               ? OTF2_EvtWriter_MpiCollectiveBegin(to, told.facts.list(), time)
               : OTF2_EvtWriter_NonBlockingCollectiveRequest(
                     to, told.facts.list(), time, told.request);
  });
  if (!told.end_ns) return;
  const v1::Call& call = told.call;
  const std::uint32_t root =
      call.root_plus_1() ? call.root_plus_1() - 1 : OTF2_UNDEFINED_UINT32;
  told.begin.writeAt(
      *told.end_ns,
      [op, root, group = told.group, sent = call.bytes_in(),
       got = call.bytes_out(), request = told.request,
       at_once = told.at_once](OTF2_EvtWriter* to, std::uint64_t time) {
        return at_once ? OTF2_EvtWriter_MpiCollectiveEnd(to, nullptr, time, op,
                                                         group, root, sent, got)
                       : OTF2_EvtWriter_NonBlockingCollectiveComplete(
                             to, nullptr, time, op, group, root, sent, got,
                             request);
      });
}

}  // namespace

bool tell(const Communication& told) {
  if (told.call.op() == v1::OPERATION_SEND) return writeSend(told);
  if (told.call.op() == v1::OPERATION_RECV) return writeReceive(told);
  const auto collective = collectiveOf(told.call);
  if (collective) writeCollective(told, *collective);
  return collective.has_value();
}

}  // namespace traced::otf2
