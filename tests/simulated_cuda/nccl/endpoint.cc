#include "nccl/endpoint.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <functional>

#include "nccl/cuda.h"

namespace simulated {
namespace {

// Returns a number that identifies a GPU among all hosts. NCCL_HOSTID can
// simulate several hosts. Never 0.
std::uint64_t gpuNumber(int device) {
  const char* host = std::getenv("NCCL_HOSTID");
  return std::hash<std::string>{}(std::string(host ? host : "") + "/" +
                                  std::to_string(device)) |
         1;
}

bool deathIsError() {
  return simulated_cuda_setting("SIMULATED_NCCL_DEATH_IS_ERROR", 0) != 0;
}

bool isDead(int pid) { return pid && kill(pid, 0) != 0 && errno == ESRCH; }

}  // namespace

ncclResult_t Endpoint::join() {
  if (!segment.map(name, ranks)) return ncclSystemError;
  segment->pid[rank] = getpid();
  segment->gpu[rank] = gpuNumber(device);
  const auto all = static_cast<std::uint32_t>(ranks);
  if (++segment->joined == all) {
    shm_unlink(name.c_str());
    for (int peer = 0; peer < ranks; ++peer) segment.ringBell(peer);
  }
  for (;;) {
    const auto seen = bell();
    if (segment->joined >= all) break;
    if (aborted_) return ncclSystemError;
    await(seen);
  }
  return sharesGpu() ? ncclInvalidUsage : ncclSuccess;
}

bool Endpoint::sharesGpu() const {
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer != rank && segment->gpu[peer] == segment->gpu[rank]) return true;
  }
  return false;
}

void Endpoint::await(std::uint32_t seen) {
  segment.awaitBell(rank, seen);
  if (state != ncclSuccess || !deathIsError()) return;
  for (int peer = 0; peer < ranks; ++peer) {
    if (isDead(segment->pid[peer])) state = ncclRemoteError;
  }
}

void Endpoint::abort() {
  {
    const std::lock_guard lock(mutex_);
    aborted_ = true;
  }
  turned_.notify_all();
  if (segment) segment.ringBell(rank);
}

bool Endpoint::awaitTurn(std::uint64_t ticket) {
  std::unique_lock lock(mutex_);
  turned_.wait(lock, [&] { return aborted_ || turn_ == ticket; });
  return !aborted_;
}

void Endpoint::endTurn() {
  {
    const std::lock_guard lock(mutex_);
    ++turn_;
  }
  turned_.notify_all();
}

}  // namespace simulated
