// The program's handle of a communicator, and helpers that its functions share.

#pragma once

#include <nccl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "nccl/endpoint.h"

// Never freed, so a use after destruction is reported.
struct ncclComm {
  std::shared_ptr<simulated::Endpoint> end;  // null: destroyed
  std::uint64_t rounds = 0;                  // number of splits
  std::uint64_t children = 0;
  std::map<int, double> factors;  // by ncclRedOpCreatePreMulSum's op
};

namespace simulated {

// Sets the text that ncclGetLastError returns, and returns `result`.
ncclResult_t fail(ncclResult_t result, const char* why);

// Reports a call that NCCL refuses and that a correct program never makes.
ncclResult_t refuse(const char* function, const char* why);

}  // namespace simulated
