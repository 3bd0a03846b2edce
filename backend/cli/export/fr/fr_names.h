// How PyTorch's Flight Recorder writes operations, dtypes and tensors.

#pragma once

#include "cli/common/json.h"
#include "traced/v1/definitions.pb.h"

namespace traced::fr {

// As torch's recorder for NCCL has it, and torchfrtrace of torch 2.11 knows it.
// nullptr for operations that it has no name for.
const char* nameOf(v1::Operation op);
// nullptr where it has none.
const char* nameOf(v1::DType dtype);

// Sets input_sizes, input_dtypes, output_sizes and output_dtypes.
void addTensors(Json& entry, const v1::Call& call);

}  // namespace traced::fr
