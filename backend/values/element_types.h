// Converts elements of all types to float or double, block by block.

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/operation.h"

namespace traced {

// Numbers that bound a floating-point type.
struct FloatLimits {
  double smallest_normal = 0;
  double largest = 0;
};

// How elements of a type are converted. The conversion is exact, except from
// 64-bit integers.
struct ElementType {
  std::size_t bytes = 0;
  // Exactly one is set, if the type is known. Each converts `count` elements.
  void (*to_float)(const void* elements, std::size_t count,
                   float* out) = nullptr;
  void (*to_double)(const void* elements, std::size_t count,
                    double* out) = nullptr;
  // 0 for integers.
  FloatLimits limits;

  bool isKnown() const { return to_float || to_double; }
};

ElementType elementType(DType dtype);

}  // namespace traced
