// OperationInCall says, while it is there, which operation the inner backend's
// call is about that this thread is in: what a library that the call goes into
// does on this thread belongs to it. Only where that is asked for
// (TRACED_NCCL_PROFILER).

#pragma once

#include "ring_io/ring/record.h"

namespace traced {

class Recorder;

class OperationInCall {
 public:
  // Recorders are never destroyed, so the name stays good.
  struct Name {
    Recorder* recorder = nullptr;
    OpId op = kLostOp;
  };

  explicit OperationInCall(const Name& name) noexcept;
  ~OperationInCall();
  OperationInCall(const OperationInCall&) = delete;
  OperationInCall& operator=(const OperationInCall&) = delete;

  // Of the calling thread; without a recorder: none.
  static Name current() noexcept;

 private:
  const Name outer_;
};

}  // namespace traced
