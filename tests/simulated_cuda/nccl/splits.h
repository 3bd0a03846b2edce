// Communicators that are made of others.

#pragma once

#include <string>

#include "nccl/communicator.h"

namespace simulated {

// A communicator of the ranks that call this with one name.
ncclResult_t create(ncclComm_t* out, const std::string& name, int ranks,
                    int rank, const ncclConfig_t* config);

}  // namespace simulated
