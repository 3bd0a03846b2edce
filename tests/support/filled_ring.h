// Fills a ring with every kind of content.

#pragma once

#include "ring_io/chunks/encode_definitions.h"
#include "ring_io/ring/call_description.h"
#include "ring_io/ring/group_info.h"
#include "ring_io/ring/ring.h"
#include "traced/v1/definitions.pb.h"

namespace traced::testing {

template <typename Message>
inline void define(Ring& ring, RecordKind kind, std::uint32_t id,
                   const Message& message) {
  const std::string bytes = message.SerializeAsString();
  ring.pushDefinition(kind, {id, kUntilRetired}, bytes.data(), bytes.size());
}

// Wraps the ring around once, then pushes one record of every kind.
inline void fillRing(Ring& ring) {
  Ring::Record record;
  for (int i = 0; i < 40; ++i) {
    ring.push(RecordKind::kRelease, ReleaseRecord{1, 2});
    ring.read(record);
  }
  ring.release();
  GroupInfo world;
  world.leg = "cpu";
  world.members = {0, 1};
  define(ring, RecordKind::kDefineGroup, 1, encodeGroup(1, world, 0));
  v1::Thread thread;
  thread.set_id(1);
  thread.set_name("main");
  define(ring, RecordKind::kDefineThread, 1, thread);
  CallDescription call(Operation::kAllToAllSingle, 1);
  const std::int64_t shape[] = {3, 4};
  call.addInput(DType::kFloat32, shape, 48);
  call.addOutput(DType::kFloat32, shape, 48);
  call.addSplits(shape, shape);
  ring.pushDefinition(RecordKind::kDefineCall, {1, 5}, call.bytes(),
                      call.byteSize());
  BufferList buffers;
  buffers.add({64, 0, 48});
  buffers.add({128, 0, 48});
  ring.pushDefinition(RecordKind::kDefineBuffers, {1, 6}, buffers.bytes(),
                      buffers.byteSize());
  ring.pushDefinition(RecordKind::kDefineText, {1, 7}, "boom", 4);
  const OpId op =
      ring.push(RecordKind::kIssue, IssueRecord{100, 1, 0, 1, 1, 1});
  ring.push(RecordKind::kReturn, ReturnRecord{op, 110, 1, Outcome::kThrew});
  ring.push(RecordKind::kDone,
            DoneRecord{op, 120, 9, 0, EndSource::kFuture, Outcome::kOk});
  ring.push(RecordKind::kWait,
            WaitRecord{op, 115, 6, 0, 0, 0, Outcome::kOk, true});
  ring.push(RecordKind::kRelease, ReleaseRecord{op, 130});
  const OpId next =
      ring.push(RecordKind::kIssue, IssueRecord{131, 2, 0, 1, 1, 1});
  ring.push(RecordKind::kReturnAndWait,
            ReturnAndWaitRecord{next, 132, 133, 4, 0, 0, Outcome::kOk, true});
  ring.push(RecordKind::kMark, MarkRecord{140, 3, MarkKind::kStep});
  ring.control().head.fetch_add(
      2);  // a thread that died while it filled its record
}

}  // namespace traced::testing
