// NCCL's functions that create, query and destroy communicators.

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <random>
#include <thread>
#include <utility>

#include "nccl/communicator.h"
#include "nccl/cuda.h"
#include "nccl/profiler.h"
#include "nccl/splits.h"

namespace simulated {
namespace {

thread_local std::string last_error;

}  // namespace

ncclResult_t fail(ncclResult_t result, const char* why) {
  last_error = why;
  return result;
}

ncclResult_t refuse(const char* function, const char* why) {
  simulated_cuda_refused(function, why);
  return fail(ncclInvalidArgument, why);
}

ncclResult_t create(ncclComm_t* out, const std::string& name, int ranks,
                    int rank, const ncclConfig_t* config) {
  if (ranks > kMaxRanks || rank < 0 || rank >= ranks) {
    return refuse("ncclCommInitRank", "a rank that cannot be");
  }
  int device = 0;
  cudaGetDevice(&device);
  auto end = std::make_shared<Endpoint>(name, ranks, rank, device);
  end->profiled = std::make_shared<Profiled>(name, ranks, rank);
  *out = new ncclComm{end, 0, 0, {}};
  if (config && config->blocking == 0) {
    end->state = ncclInProgress;
    std::thread([end] { end->state = end->join(); }).detach();
    return ncclInProgress;
  }
  const ncclResult_t result = end->join();
  return result ? fail(result, "the ranks cannot be connected") : result;
}

}  // namespace simulated

using simulated::create;
using simulated::fail;
using simulated::refuse;

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  static std::random_device random;
  *id = {};
  std::snprintf(id->internal, sizeof id->internal,
                "/simulated-nccl.%d.%08x%08x", getpid(), random(), random());
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* out, int ranks, ncclUniqueId id,
                                    int rank, ncclConfig_t* config) {
  return create(out, id.internal, ranks, rank, config);
}

ncclResult_t ncclCommInitRank(ncclComm_t* out, int ranks, ncclUniqueId id,
                              int rank) {
  return create(out, id.internal, ranks, rank, nullptr);
}

ncclResult_t ncclCommInitRankScalable(ncclComm_t* out, int ranks, int rank, int,
                                      ncclUniqueId* ids, ncclConfig_t* config) {
  return create(out, ids[0].internal, ranks, rank, config);
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  if (!comm->end) return refuse(__func__, "the communicator is destroyed");
  comm->end->abort();
  comm->end = nullptr;
  return ncclSuccess;
}

ncclResult_t ncclCommRevoke(ncclComm_t comm, int) {
  if (!comm->end) return refuse(__func__, "the communicator is destroyed");
  comm->end->abort();
  return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  if (!comm->end) return refuse(__func__, "the communicator is destroyed");
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  if (!comm->end) return refuse(__func__, "the communicator is destroyed");
  comm->end = nullptr;  // active operations keep it alive
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* out) {
  const auto end = comm->end;
  if (!end) return refuse(__func__, "the communicator is destroyed");
  *out = end->state;
  return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int* out) {
  if (!comm->end) return refuse(__func__, "the communicator is destroyed");
  *out = comm->end->ranks;
  return ncclSuccess;
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int* out) {
  if (!comm->end) return refuse(__func__, "the communicator is destroyed");
  *out = comm->end->device;
  return ncclSuccess;
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* out) {
  if (!comm->end) return refuse(__func__, "the communicator is destroyed");
  *out = comm->end->rank;
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error";
    case ncclSystemError:
      return "unhandled system error";
    case ncclInternalError:
      return "internal error";
    case ncclInvalidArgument:
      return "invalid argument";
    case ncclInvalidUsage:
      return "invalid usage";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
    default:
      return "unknown result code";
  }
}

const char* ncclGetLastError(ncclComm_t) {
  return simulated::last_error.c_str();
}

// Reports the call of a function that only has a generated stub.
int simulated_nccl_unsupported(const char* function) {
  std::fprintf(stderr, "simulated NCCL: there is no %s\n", function);
  return fail(ncclInvalidUsage, function);
}

}  // extern "C"
