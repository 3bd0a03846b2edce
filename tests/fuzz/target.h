// The interface of a fuzz target.

#pragma once

#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" {

// The target. Anything but a normal return is a finding.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// Optional. Mutates the input in place and returns its new size.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                    std::size_t max_size, unsigned seed);

// libFuzzer's own mutation; available only under libFuzzer.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                             std::size_t max_size);
}

namespace traced::testing {

// Inputs are damaged on purpose, so protobuf's messages about them are
// disabled.
inline const bool kQuiet = (google::protobuf::SetLogHandler(nullptr), true);

// Aborts unless `holds`, so that the fuzzer keeps the input.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: not so: %s\n", what);
  std::abort();
}

}  // namespace traced::testing
