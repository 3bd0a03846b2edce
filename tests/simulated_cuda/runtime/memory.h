// Device memory is host memory; this tells the one from the other.

#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace simulated {

enum class Place { kPageable, kDevice, kPinned, kFreed };

// What an address points to. Memory that was freed stays known as such: its
// addresses are not given out again, and to touch them is a SIGSEGV.
Place placeOf(const void* address);

// Null if the device has not that much left.
void* allocate(size_t size, Place place);

// False if that is no beginning of memory that was allocated.
bool release(void* address);

}  // namespace simulated
