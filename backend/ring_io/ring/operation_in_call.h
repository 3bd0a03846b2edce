// OperationInCall marks, during its lifetime, the operation whose inner backend
// call this thread executes. Libraries use it to attribute their work on this
// thread to the operation.
// Used only with TRACED_NCCL_PROFILER.

#pragma once

#include "ring_io/ring/record.h"

namespace traced {

class Recorder;

class OperationInCall {
 public:
  // Recorders are never destroyed, so the pointer stays valid.
  struct Name {
    Recorder* recorder = nullptr;
    OpId op = kLostOp;
  };

  explicit OperationInCall(const Name& name) noexcept;
  ~OperationInCall();
  OperationInCall(const OperationInCall&) = delete;
  OperationInCall& operator=(const OperationInCall&) = delete;

  // Returns the innermost operation of the calling thread. `recorder` is
  // nullptr if the thread has none.
  static Name current() noexcept;

 private:
  const Name outer_;
};

}  // namespace traced
