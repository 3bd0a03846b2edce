// A communicator as the program has it, and what its functions have in common.

#pragma once

#include <nccl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "nccl/endpoint.h"

// Never freed: so one that is used after its end is told as such.
struct ncclComm {
  std::shared_ptr<simulated::Endpoint> end;  // null: destroyed
  std::uint64_t rounds = 0;                  // of splits
  std::uint64_t children = 0;
  std::map<int, double> factors;  // of ncclRedOpCreatePreMulSum
};

namespace simulated {

// Makes the text that ncclGetLastError tells, and returns the result.
ncclResult_t fail(ncclResult_t result, const char* why);

// For what NCCL refuses, and a correct program never does.
ncclResult_t refuse(const char* function, const char* why);

}  // namespace simulated
