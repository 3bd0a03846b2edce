// What NCCL's Inspector calls operations.

#pragma once

#include "traced/v1/definitions.pb.h"

namespace traced::inspector {

// As NCCL calls what it carries out; nullptr for all else.
const char* functionOf(v1::Operation op);

}  // namespace traced::inspector
