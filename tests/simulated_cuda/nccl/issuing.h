// Puts operations on streams. Operations of a group that share communicator and
// stream form one launch.

#pragma once

#include <functional>
#include <vector>

#include "nccl/communicator.h"
#include "nccl/method.h"
#include "nccl/transfers.h"

namespace simulated {

struct Operation {
  const char* function;
  size_t bytes;
  const void* in;   // null: this rank reads nothing
  const void* out;  // null: this rank writes nothing
  int peer;         // or root; 0 if neither applies
  // Registers the sends and receives when the stream reaches the operation.
  std::function<void(Transfers&)> start;
  Method method = {};
  // The events that a profiler requested for this call, and the call's handle.
  int wanted = 0;
  void* call = nullptr;
};

ncclResult_t issue(ncclComm_t comm, cudaStream_t stream, Operation operation);

}  // namespace simulated
