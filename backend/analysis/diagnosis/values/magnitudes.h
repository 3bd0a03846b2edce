// Magnitudes finds tensors of one rank that come close to the end of their
// type's range.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/values/examined_stream.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// Inputs of the operations of one call.
struct GrowingInputs {
  const AssembledOperation* largest = nullptr;  // has the last maximum
  v1::DType dtype = v1::DTYPE_UNSPECIFIED;
  // The largest absolute values of the first quarter of the operations, and of
  // the last one.
  double first_maximum = 0;
  double last_maximum = 0;
};
struct SaturatedInputs {
  const AssembledOperation* last = nullptr;
  v1::DType dtype = v1::DTYPE_UNSPECIFIED;
  std::uint64_t operations = 0;
  std::uint64_t saturated = 0;
  std::uint64_t elements = 0;
};

struct Magnitudes {
  std::vector<GrowingInputs> growing;
  std::vector<SaturatedInputs> saturated;
};

// Returns the inputs of a stream that
//   - grow: among the last 1,000 operations of a call, the maximum rises from
//     quarter to quarter, sixteenfold in all, and ends within a factor of 16 of
//     the largest number. Loss scaling keeps gradients there on purpose, but
//     doubles them only once in 2,000 steps.
//   - are saturated: inputs of reductions equal the largest number of a 16-bit
//     or 8-bit type, in three operations or more. Other operations may carry
//     masks of that number. Of 8-bit types more than 1 %, because scaling makes
//     the largest element that number on purpose.
Magnitudes magnitudesOf(const ExaminedStream& stream);

}  // namespace traced
