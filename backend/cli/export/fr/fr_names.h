// What PyTorch's Flight Recorder calls operations and dtypes.

#pragma once

#include "traced/v1/definitions.pb.h"

namespace traced::fr {

// As torch's recorder for NCCL has it, and torchfrtrace of torch 2.11 knows it.
// nullptr for operations that it has no name for.
const char* nameOf(v1::Operation op);
// nullptr where it has none.
const char* nameOf(v1::DType dtype);

}  // namespace traced::fr
