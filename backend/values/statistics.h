// Statistics of the elements of one tensor.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/operation.h"

namespace traced {

// Counts and sums of elements. Minimum, maximum and the sums are those of the
// finite elements. Elements of integers and bool are finite.
struct Statistics {
  std::uint64_t elements = 0;
  std::uint64_t nan = 0;
  std::uint64_t infinite = 0;
  std::uint64_t zero = 0;
  // Only of floating-point types: below the smallest normal number, and equal
  // to the largest finite number.
  std::uint64_t subnormal = 0;
  std::uint64_t saturated = 0;
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();
  double sum = 0;
  double sum_of_squares = 0;

  std::uint64_t finite() const { return elements - nan - infinite; }
  // The following need a finite element.
  double mean() const { return sum / static_cast<double>(finite()); }
  double absoluteMaximum() const;
  // The L2 norm.
  double norm() const;

  Statistics& operator+=(const Statistics& more);
};

// Returns whether statistics of this type are known.
bool hasStatistics(DType dtype);

// Returns the statistics of consecutive elements. Requires hasStatistics().
// The mean and the norm are exact up to the rounding of double. Flush-to-zero
// modes of the calling thread do not change the counts.
Statistics statisticsOf(DType dtype, const void* elements, std::size_t count);

}  // namespace traced
