#include "runtime/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>

#include "runtime/calls.h"
#include "runtime/settings.h"
#include "runtime/streams.h"

namespace simulated {
namespace {

constexpr size_t kPage = 4096;

struct Block {
  size_t size;
  Place place;
  int device;
  bool ours;  // false: the program's own, registered
};

std::mutex& mutex = *new std::mutex;
auto& blocks = *new std::map<std::uintptr_t, Block>;
auto& used = *new std::map<int, size_t>;  // bytes per device

size_t capacity() {
  return static_cast<size_t>(setting("SIMULATED_CUDA_MEMORY_MB", 1024)) << 20;
}

// Returns null for memory that the simulation does not know.
const Block* blockOf(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  auto it = blocks.upper_bound(at);
  if (it == blocks.begin()) return nullptr;
  --it;
  return at < it->first + it->second.size ? &it->second : nullptr;
}

}  // namespace

Place placeOf(const void* address) {
  const std::lock_guard lock(mutex);
  const Block* block = blockOf(address);
  return block ? block->place : Place::kPageable;
}

void* allocate(size_t size, Place place) {
  size = (std::max<size_t>(size, 1) + kPage - 1) / kPage * kPage;
  const std::lock_guard lock(mutex);
  const bool counts = place == Place::kDevice;
  if (counts && used[current_device] + size > capacity()) return nullptr;
  void* address = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return nullptr;
  blocks[reinterpret_cast<std::uintptr_t>(address)] = {size, place,
                                                       current_device, true};
  if (counts) used[current_device] += size;
  return address;
}

bool release(void* address) {
  const std::lock_guard lock(mutex);
  const auto it = blocks.find(reinterpret_cast<std::uintptr_t>(address));
  if (it == blocks.end() || it->second.place == Place::kFreed) return false;
  Block& block = it->second;
  if (block.place == Place::kDevice) used[block.device] -= block.size;
  if (!block.ours) {
    blocks.erase(it);
    return true;
  }
  block.place = Place::kFreed;
  madvise(address, block.size, MADV_DONTNEED);
  mprotect(address, block.size, PROT_NONE);
  return true;
}

}  // namespace simulated

extern "C" {

cudaError_t cudaHostRegister(void* address, size_t size, unsigned) {
  SIMULATED_CALL
  const std::lock_guard lock(simulated::mutex);
  simulated::blocks[reinterpret_cast<std::uintptr_t>(address)] = {
      size, simulated::Place::kPinned, simulated::current_device, false};
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  SIMULATED_CALL
  const std::lock_guard lock(simulated::mutex);
  *total = simulated::capacity();
  *free = *total - simulated::used[simulated::current_device];
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out,
                                     const void* address) {
  SIMULATED_CALL
  *out = {};
  out->device = cudaInvalidDeviceId;
  const std::lock_guard lock(simulated::mutex);
  const auto* block = simulated::blockOf(address);
  if (!block || block->place == simulated::Place::kFreed) {
    out->hostPointer = const_cast<void*>(address);
    return cudaSuccess;
  }
  const bool on_device = block->place == simulated::Place::kDevice;
  out->type = on_device ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
  out->device = block->device;
  out->devicePointer = const_cast<void*>(address);
  out->hostPointer = on_device ? nullptr : const_cast<void*>(address);
  return cudaSuccess;
}

// For the simulated NCCL: returns whether a kernel can access this memory.
int simulated_cuda_reachable(const void* address) {
  const auto place = simulated::placeOf(address);
  return place == simulated::Place::kDevice ||
         place == simulated::Place::kPinned;
}

}  // extern "C"
