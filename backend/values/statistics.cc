#include "values/statistics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "values/element_types.h"
#include "values/float_blocks.h"

namespace traced {
namespace {

constexpr std::size_t kBlock = 1024;

// Returns the bits of a positive number.
template <typename Float>
typename FloatBits<Float>::Type bitsOf(double number) {
  return std::bit_cast<typename FloatBits<Float>::Type>(
      static_cast<Float>(number));
}

// Moves the finite elements to the front. Returns their number.
template <typename Float>
std::size_t keepFinite(Float* elements, std::size_t count) {
  Float* const end =
      std::remove_if(elements, elements + count,
                     [](Float element) { return !std::isfinite(element); });
  return static_cast<std::size_t>(end - elements);
}

template <typename Float>
void add(const BlockSums<Float>& sums, Statistics& block) {
  block.minimum = sums.minimum;
  block.maximum = sums.maximum;
  block.sum = sums.sum;
  block.sum_of_squares = sums.squares;
}

// Counts the elements of each class. `small` and `largest` are the bits of the
// limits; the latter is 0 for integers.
template <typename Float, typename Bits>
void count(const Float* elements, Bits small, Bits largest, Statistics& block) {
  BlockClasses<Float> classes;
  classifyBlock(elements, block.elements, small, largest, classes);
  const auto countOf = [](auto counted) {
    return static_cast<std::uint64_t>(counted);
  };
  block.nan = countOf(classes.nan);
  block.infinite = block.elements - countOf(classes.finite) - block.nan;
  block.zero = countOf(classes.zero);
  if (largest > 0) {
    block.subnormal = countOf(classes.below) - block.zero;
    block.saturated = countOf(classes.largest);
  }
}

// May change the elements. Counts nothing if the smallest and the largest
// element show that there is nothing to count, as in most blocks.
template <typename Float>
Statistics ofBlock(Float* elements, std::size_t size,
                   const FloatLimits& limits) {
  const auto small = bitsOf<Float>(limits.smallest_normal);
  const auto largest = bitsOf<Float>(limits.largest);
  const auto highest_usual =
      largest > 0 ? largest : FloatBits<Float>::kInfinity;
  Statistics block;
  block.elements = size;
  BlockSums<Float> sums;
  sumBlock(elements, size, sums);
  const bool is_usual =
      sums.lowest >= small && sums.lowest > 0 && sums.highest < highest_usual;
  if (!is_usual) count(elements, small, largest, block);
  if (block.finite() < size) {
    const std::size_t kept = keepFinite(elements, size);
    if (kept == 0) return block;
    sumBlock(elements, kept, sums);
  }
  add(sums, block);
  return block;
}

template <typename Float>
Statistics ofAll(const ElementType& type,
                 void (*toFloat)(const void*, std::size_t, Float*),
                 const char* elements, std::size_t count) {
  std::array<Float, kBlock> block;
  Statistics all;
  while (count > 0) {
    const std::size_t some = std::min(count, kBlock);
    toFloat(elements, some, block.data());
    all += ofBlock(block.data(), some, type.limits);
    elements += some * type.bytes;
    count -= some;
  }
  return all;
}

}  // namespace

double Statistics::absoluteMaximum() const {
  return std::max(std::abs(minimum), std::abs(maximum));
}

double Statistics::norm() const { return std::sqrt(sum_of_squares); }

Statistics& Statistics::operator+=(const Statistics& more) {
  elements += more.elements;
  nan += more.nan;
  infinite += more.infinite;
  zero += more.zero;
  subnormal += more.subnormal;
  saturated += more.saturated;
  minimum = std::min(minimum, more.minimum);
  maximum = std::max(maximum, more.maximum);
  sum += more.sum;
  sum_of_squares += more.sum_of_squares;
  return *this;
}

bool hasStatistics(DType dtype) { return elementType(dtype).isKnown(); }

Statistics statisticsOf(DType dtype, const void* elements, std::size_t count) {
  const ElementType type = elementType(dtype);
  const char* const first = static_cast<const char*>(elements);
  return type.to_float ? ofAll(type, type.to_float, first, count)
                       : ofAll(type, type.to_double, first, count);
}

}  // namespace traced
