// Records when operations really ran, as a reference for the trace.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "nccl/method.h"

namespace simulated {

// Begins when a stream reaches a launch. Each operation is a line in the file
// SIMULATED_NCCL_TRUTH: process, rank, stream, function, bytes, begin and end
// (CLOCK_MONOTONIC), communicator, 1 or 0 (aborted), algorithm, protocol (both
// - for messages), channels.
class Truth {
 public:
  Truth(std::string communicator, int rank, const void* stream);
  void write(const char* function, size_t bytes, bool moved,
             const Method& method) const;

 private:
  const std::string communicator_;
  const int rank_;
  const void* const stream_;
  const std::int64_t begin_ns_;
};

}  // namespace simulated
