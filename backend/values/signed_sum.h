// The sum of a tensor's floating-point elements with random signs, or of its
// integers times random odd numbers. Such sums of the inputs of a reduction add
// up to that of its result, whatever the order of the additions, so offline
// they show whether the result is right.
//
// Signs and factors are fixed functions of the position. Without them,
// exchanged elements would have the same sum.

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/operation.h"
#include "base/transfers.h"

namespace traced {

struct SignedSum {
  // The bits of a double for floating-point elements. For integers, the lowest
  // bits of the sum, as many as the type has; the others mean nothing.
  std::uint64_t bits = 0;
  // The L2 norm, which bounds the rounding errors. 0 for integers.
  double norm = 0;
};

// Returns whether sums of this type show something: not of types with so few
// bits that rounding hides most changes.
bool hasSignedSum(DType dtype);

// Returns the sum of consecutive elements. Requires hasSignedSum(). Computed in
// double precision, block by block (base/transfers.h). NaN or infinite if an
// element is.
SignedSum signedSum(DType dtype, const void* elements, std::size_t count);

}  // namespace traced
