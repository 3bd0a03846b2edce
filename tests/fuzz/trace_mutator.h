// Changes a trace below its checksums: one wrong bit in a chunk would only ever
// show the fuzzer that checksums are looked at.

#pragma once

#include <cstddef>
#include <cstdint>

namespace traced::testing {

// As LLVMFuzzerCustomMutator().
std::size_t mutateTrace(std::uint8_t* data, std::size_t size,
                        std::size_t max_size, unsigned seed);

}  // namespace traced::testing
