// The type of a tensor of a call, by its number.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "traced/v1/definitions.pb.h"

namespace traced {

// Returns DTYPE_UNSPECIFIED if the call has fewer tensors on record.
template <typename Runs>
v1::DType dtypeAt(const Runs& runs, std::uint32_t tensor) {
  std::uint64_t before = 0;
  for (const v1::TensorRun& run : runs) {
    before += std::max<std::uint64_t>(run.count(), 1);
    if (tensor < before) return run.dtype();
  }
  return v1::DTYPE_UNSPECIFIED;
}

// Return the type of an input, and of what the call fills.
inline v1::DType inputType(const v1::Call& call, std::uint32_t tensor) {
  return dtypeAt(call.input(), tensor);
}
inline v1::DType outputType(const v1::Call& call, std::uint32_t tensor) {
  return call.output().empty() ? inputType(call, tensor)
                               : dtypeAt(call.output(), tensor);
}

// Returns the largest finite number of a floating-point type, 0 for others.
inline double largestOf(v1::DType dtype) {
  switch (dtype) {
    case v1::DTYPE_FLOAT16:
      return 65504;
    case v1::DTYPE_BFLOAT16:
      return 0x1.FEp127;
    case v1::DTYPE_FLOAT32:
      return std::numeric_limits<float>::max();
    case v1::DTYPE_FLOAT64:
      return std::numeric_limits<double>::max();
    case v1::DTYPE_FLOAT8_E4M3FN:
      return 448;
    case v1::DTYPE_FLOAT8_E4M3FNUZ:
      return 240;
    case v1::DTYPE_FLOAT8_E5M2:
    case v1::DTYPE_FLOAT8_E5M2FNUZ:
      return 57344;
    default:
      return 0;
  }
}

}  // namespace traced
