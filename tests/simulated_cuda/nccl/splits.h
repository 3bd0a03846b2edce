// Communicators made from others.

#pragma once

#include <string>

#include "nccl/communicator.h"

namespace simulated {

// Creates a communicator of the ranks that call this with the same name.
ncclResult_t create(ncclComm_t* out, const std::string& name, int ranks,
                    int rank, const ncclConfig_t* config);

}  // namespace simulated
