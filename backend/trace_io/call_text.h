// Describes the tensors of a call.

#pragma once

#include <string>

#include "traced/v1/definitions.pb.h"

namespace traced {

// Returns the dtype of all tensors; "mixed" if they differ, "-" without
// tensors.
std::string dtypeText(const v1::Call& call);

// Returns the shapes of `tensors`, such as "[1024,512]" or "3*[64] [2,64]"; ""
// without tensors.
std::string shapesText(
    const google::protobuf::RepeatedPtrField<v1::TensorRun>& tensors);

// Returns the shapes of the inputs, or of the outputs if it has no inputs; "-"
// without tensors.
std::string shapeText(const v1::Call& call);

}  // namespace traced
