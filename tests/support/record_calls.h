// Records operations, and a group for them.

#pragma once

#include <cstdint>

#include "recorder/recorder.h"

namespace traced::testing {

inline GroupInfo worldOfTwo() {
  GroupInfo info;
  info.name = "0";
  info.desc = "default_pg";
  info.backend = "gloo";
  info.leg = "cpu";
  info.members = {0, 1};
  return info;
}

inline OpId issueCall(Recorder& recorder, RecordedGroup& group,
                      std::uint64_t seq, std::uint64_t batch = 0,
                      std::int64_t elements = 16) {
  CallDescription call(Operation::kAllReduce, group.id());
  call.fields().in_place = true;
  call.addInput(DType::kFloat32, {&elements, 1},
                static_cast<std::uint64_t>(elements) * 4);
  return recorder.issue(group, call, {}, seq, batch, nowNs());
}

// Records a complete operation, which takes five records.
inline void completeCall(Recorder& recorder, RecordedGroup& group,
                         std::uint64_t seq, std::uint64_t batch = 0,
                         std::int64_t elements = 16) {
  const OpId op = issueCall(recorder, group, seq, batch, elements);
  recorder.returned(op, nowNs());
  recorder.done(op, nowNs(), EndSource::kFuture);
  recorder.waited({op, nowNs(), 5, 0, 0, 0, Outcome::kOk, true});
  recorder.released(op);
}

}  // namespace traced::testing
