// Device memory is host memory. This registry distinguishes the two.

#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace simulated {

enum class Place { kPageable, kDevice, kPinned, kFreed };

// Returns the kind of memory that an address points to. Freed memory stays
// registered: its addresses are not reused, and an access raises SIGSEGV.
Place placeOf(const void* address);

// Returns null if the device has too little memory left.
void* allocate(size_t size, Place place);

// Returns false unless `address` is the beginning of an allocation.
bool release(void* address);

}  // namespace simulated
