// The loops over floating-point numbers, as short ones that a compiler turns
// into vector instructions.

#pragma once

#include <cstddef>
#include <cstdint>

namespace traced {

// The bits of a float or double as an integer of equal size. Those of positive
// numbers compare as the numbers do; infinity is above them, and NaN above it.
template <typename Float>
struct FloatBits;
template <>
struct FloatBits<float> {
  using Type = std::int32_t;
  static constexpr Type kInfinity = 0x7F800000;
};
template <>
struct FloatBits<double> {
  using Type = std::int64_t;
  static constexpr Type kInfinity = 0x7FF0000000000000;
};

// Counts of one block, which must have less than 2^31 elements. Signs are
// ignored.
template <typename Float>
struct BlockClasses {
  using Bits = typename FloatBits<Float>::Type;
  Bits nan = 0;
  Bits finite = 0;
  Bits zero = 0;
  // Below `small`, zeros included, and equal to `largest`.
  Bits below = 0;
  Bits largest = 0;
};

template <typename Float>
struct BlockSums {
  // The smallest and the largest bits without their signs.
  typename FloatBits<Float>::Type lowest = 0;
  typename FloatBits<Float>::Type highest = 0;
  // Meaningless unless all elements are finite.
  Float minimum = 0;
  Float maximum = 0;
  double sum = 0;
  double squares = 0;
};

// Independent of flush-to-zero modes of the calling thread.
void classifyBlock(const float* elements, std::size_t count, std::int32_t small,
                   std::int32_t largest, BlockClasses<float>& classes);
void classifyBlock(const double* elements, std::size_t count,
                   std::int64_t small, std::int64_t largest,
                   BlockClasses<double>& classes);

// Require at least one element.
void sumBlock(const float* elements, std::size_t count, BlockSums<float>& sums);
void sumBlock(const double* elements, std::size_t count,
              BlockSums<double>& sums);

}  // namespace traced
