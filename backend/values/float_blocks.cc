// Compiled with options that let sums be reordered and assume finite numbers:
// see CMakeLists.txt.

#include "values/float_blocks.h"

#include <cstring>
#include <limits>

#include "values/wide.h"

namespace traced {
namespace {

template <typename Float>
[[gnu::always_inline]] inline void classify(
    const Float* elements, std::size_t count,
    typename FloatBits<Float>::Type small,
    typename FloatBits<Float>::Type largest, BlockClasses<Float>& classes) {
  using Bits = typename FloatBits<Float>::Type;
  constexpr Bits kInfinity = FloatBits<Float>::kInfinity;
  BlockClasses<Float> counts;
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, elements + i, sizeof bits);
    bits &= std::numeric_limits<Bits>::max();
    counts.nan += bits > kInfinity;
    counts.finite += bits < kInfinity;
    counts.zero += bits == 0;
    counts.below += bits < small;
    counts.largest += bits == largest;
  }
  classes = counts;
}

template <typename Float>
[[gnu::always_inline]] inline void sum(const Float* elements, std::size_t count,
                                       BlockSums<Float>& sums) {
  using Bits = typename FloatBits<Float>::Type;
  Bits lowest = std::numeric_limits<Bits>::max();
  Bits highest = 0;
  Float minimum = elements[0];
  Float maximum = elements[0];
  double total = 0;
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, elements + i, sizeof bits);
    bits &= std::numeric_limits<Bits>::max();
    lowest = bits < lowest ? bits : lowest;
    highest = bits > highest ? bits : highest;
    const Float element = elements[i];
    minimum = element < minimum ? element : minimum;
    maximum = element > maximum ? element : maximum;
    const double wide = element;
    total += wide;
    squares += wide * wide;
  }
  sums = {lowest, highest, minimum, maximum, total, squares};
}

}  // namespace

TRACED_WIDE void classifyBlock(const float* elements, std::size_t count,
                               std::int32_t small, std::int32_t largest,
                               BlockClasses<float>& classes) {
  classify(elements, count, small, largest, classes);
}

TRACED_WIDE void classifyBlock(const double* elements, std::size_t count,
                               std::int64_t small, std::int64_t largest,
                               BlockClasses<double>& classes) {
  classify(elements, count, small, largest, classes);
}

TRACED_WIDE void sumBlock(const float* elements, std::size_t count,
                          BlockSums<float>& sums) {
  sum(elements, count, sums);
}

TRACED_WIDE void sumBlock(const double* elements, std::size_t count,
                          BlockSums<double>& sums) {
  sum(elements, count, sums);
}

}  // namespace traced
