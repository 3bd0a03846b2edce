// What a fuzz target is, and what it may call.

#pragma once

#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" {

// The target: anything but a normal return is a finding.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// Optional: changes the input in place and returns its new size.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                    std::size_t max_size, unsigned seed);

// libFuzzer's own mutation, which only it has.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                             std::size_t max_size);
}

namespace traced::testing {

// Damage is what an input is made of: protobuf need not tell.
inline const bool kQuiet = (google::protobuf::SetLogHandler(nullptr), true);

// Ends the program, so that the input is kept, unless `holds`.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: not so: %s\n", what);
  std::abort();
}

}  // namespace traced::testing
