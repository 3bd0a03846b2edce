// What a call was made with, in short words.

#pragma once

#include <string>

#include "traced/v1/definitions.pb.h"

namespace traced {

// The dtype of all its tensors, "mixed" when they differ, "-" without tensors.
std::string dtypeText(const v1::Call& call);

// The shapes of some of its tensors: "[1024,512]", "3*[64] [2,64]"; empty
// without tensors.
std::string shapesText(
    const google::protobuf::RepeatedPtrField<v1::TensorRun>& tensors);

// The shapes of its inputs, or of its outputs when it has none; "-" without
// tensors.
std::string shapeText(const v1::Call& call);

}  // namespace traced
