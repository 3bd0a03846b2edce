// Mutates a trace and renews its checksums. A plain bit flip would only test
// that checksums are verified.

#pragma once

#include <cstddef>
#include <cstdint>

namespace traced::testing {

// Has the contract of LLVMFuzzerCustomMutator().
std::size_t mutateTrace(std::uint8_t* data, std::size_t size,
                        std::size_t max_size, unsigned seed);

}  // namespace traced::testing
