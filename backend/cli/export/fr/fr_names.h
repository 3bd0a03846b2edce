// Names of operations, dtypes and tensors in PyTorch's Flight Recorder.

#pragma once

#include "cli/common/json.h"
#include "traced/v1/definitions.pb.h"

namespace traced::fr {

// Returns the name that torch's recorder for NCCL uses and that torchfrtrace of
// torch 2.11 accepts. Returns nullptr for an operation without such a name.
const char* nameOf(v1::Operation op);
// Returns torch's name of `dtype`, or nullptr if it has none.
const char* nameOf(v1::DType dtype);

// Sets input_sizes, input_dtypes, output_sizes and output_dtypes.
void addTensors(Json& entry, const v1::Call& call);

}  // namespace traced::fr
