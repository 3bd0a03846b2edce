#include "nccl/issuing.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "nccl/cuda.h"
#include "nccl/profiler.h"
#include "nccl/truth.h"

namespace simulated {
namespace {

struct Launch {
  std::shared_ptr<Endpoint> end;
  cudaStream_t stream;
  std::vector<Operation> operations;
  bool fails = false;
  // Taken at issue. A captured operation takes it at replay.
  std::optional<std::uint64_t> ticket;
};

thread_local int group_depth = 0;
thread_local std::vector<Launch> pending;
std::atomic<long> issued{0};

// Blocks until the abort, like an operation whose network failed.
void failAndWait(Endpoint& end) {
  end.state = ncclRemoteError;
  while (!end.aborted()) end.await(end.bell());
}

void perform(const Launch& launch) {
  const auto ticket = launch.ticket ? *launch.ticket : launch.end->ticket();
  if (!launch.end->awaitTurn(ticket)) return;
  Transfers transfers(*launch.end);
  // Launch a replay now.
  if (!launch.ticket) launch.end->profiled->launch(launch.operations);
  for (const auto& operation : launch.operations) operation.start(transfers);
  Truth truth(launch.end->name, launch.end->rank, launch.stream);
  if (launch.fails) failAndWait(*launch.end);
  const bool moved = transfers.run();
  for (const auto& operation : launch.operations) {
    truth.write(operation.function, operation.bytes, moved, operation.method);
  }
  launch.end->endTurn();
}

ncclResult_t enqueue(std::vector<Launch> launches) {
  for (Launch& launch : launches) {
    if (!simulated_cuda_capturing(launch.stream)) {
      launch.ticket = launch.end->ticket();
      launch.end->profiled->launch(launch.operations);
    }
    const std::function<void()> work = [launch] { perform(launch); };
    if (simulated_cuda_enqueue(launch.stream, &work)) {
      return fail(ncclUnhandledCudaError, "the stream does not take it");
    }
  }
  return ncclSuccess;
}

ncclResult_t flush() {
  Profiled::groupEnds();
  const ncclResult_t result = enqueue(std::exchange(pending, {}));
  Profiled::groupEnded();
  return result;
}

// Returns whether NCCL builds this collective from messages.
bool isOfMessages(const std::string& function) {
  for (const char* name :
       {"ncclSend", "ncclRecv", "ncclAlltoAll", "ncclGather", "ncclScatter"}) {
    if (function == name) return true;
  }
  return false;
}

bool isNumber(long number, const char* setting) {
  const auto wanted = static_cast<long>(simulated_cuda_setting(setting, 0));
  return number == wanted || wanted < 0;
}

}  // namespace

ncclResult_t issue(ncclComm_t comm, cudaStream_t stream, Operation operation) {
  if (!comm || !comm->end) {
    return refuse(operation.function, "the communicator is destroyed");
  }
  for (const void* address : {operation.in, operation.out}) {
    if (operation.bytes && address && !simulated_cuda_reachable(address)) {
      return refuse(operation.function, "memory that the device cannot reach");
    }
  }
  const auto end = comm->end;
  if (operation.peer < 0 || operation.peer >= end->ranks) {
    return fail(ncclInvalidArgument, "there is no such rank");
  }
  if (end->aborted()) {
    return fail(ncclInvalidUsage, "the communicator was aborted");
  }
  if (end->state != ncclSuccess) return end->state;
  const long number = ++issued;
  if (isNumber(number, "SIMULATED_NCCL_FAIL_CALL")) {
    return fail(ncclSystemError, "SIMULATED_NCCL_FAIL_CALL");
  }
  auto it = std::find_if(pending.begin(), pending.end(), [&](const Launch& l) {
    return l.end == end && l.stream == stream;
  });
  if (it == pending.end())
    it = pending.insert(it, {end, stream, {}, false, {}});
  it->fails |= isNumber(number, "SIMULATED_NCCL_FAIL_OPERATION");
  operation.method = nextMethod(isOfMessages(operation.function));
  end->profiled->call(operation, simulated_cuda_capturing(stream) != 0);
  it->operations.push_back(std::move(operation));
  return group_depth ? ncclSuccess : flush();
}

}  // namespace simulated

extern "C" {

ncclResult_t ncclGroupStart() {
  ++simulated::group_depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  if (!simulated::group_depth) {
    return simulated::refuse(__func__, "there is no group");
  }
  return --simulated::group_depth ? ncclSuccess : simulated::flush();
}

// Ends a group without running its operations.
ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t* info) {
  if (!simulated::group_depth) {
    return simulated::refuse(__func__, "there is no group");
  }
  --simulated::group_depth;
  simulated::pending.clear();
  info->estimatedTime = 1;
  return ncclSuccess;
}

}  // extern "C"
