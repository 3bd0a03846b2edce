// How operations come onto streams: those of a group that share communicator
// and stream are one launch.

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
  const void* in;   // may be null: is not read by this rank
  const void* out;  // may be null: is not written by this rank
  int peer;         // or root; 0 where there is none
  // Says what is to be sent and received when the stream has come to it.
  std::function<void(Transfers&)> start;
  Method method = {};
  // What a profiler wanted to know when it was called, and calls it.
  int wanted = 0;
  void* call = nullptr;
};

ncclResult_t issue(ncclComm_t comm, cudaStream_t stream, Operation operation);

}  // namespace simulated
