// Compiled with options that let sums be reordered: see CMakeLists.txt.

#include "values/signed_sum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "values/element_types.h"
#include "values/float_blocks.h"
#include "values/wide.h"

namespace traced {
namespace {

// Signs come in words of 32.
constexpr std::size_t kWord = 32;

// Returns 32 random bits: the upper half of splitmix64.
constexpr std::uint32_t signsOf(std::uint64_t word) {
  word = (word + 1) * 0x9E3779B97F4A7C15U;
  word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9U;
  word = (word ^ word >> 27) * 0x94D049BB133111EBU;
  return static_cast<std::uint32_t>((word ^ word >> 31) >> 32);
}

// The signs of a block: 0 for plus, all bits set for minus.
using Signs = std::array<std::int32_t, kSignedSumBlock>;

[[gnu::always_inline]] inline void fillSigns(std::uint64_t block,
                                             Signs& signs) {
  constexpr std::size_t kWords = kSignedSumBlock / kWord;
  for (std::size_t word = 0; word < kWords; ++word) {
    const std::uint32_t bits = signsOf(block * kWords + word);
    for (std::size_t i = 0; i < kWord; ++i) {
      signs[word * kWord + i] =
          static_cast<std::int32_t>(bits << (kWord - 1 - i)) >> 31;
    }
  }
}

struct Sums {
  double floats = 0;
  double squares = 0;
  std::uint64_t integers = 0;
};

template <typename Float>
[[gnu::always_inline]] inline void addFloats(const char* from,
                                             std::size_t count,
                                             std::uint64_t block, Sums& sums) {
  Signs signs;
  fillSigns(block, signs);
  using Bits = typename FloatBits<Float>::Type;
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, from + i * sizeof bits, sizeof bits);
    bits ^= Bits{signs[i]} & std::numeric_limits<Bits>::min();
    const double element = std::bit_cast<Float>(bits);
    sum += element;
    squares += element * element;
  }
  sums.floats += sum;
  sums.squares += squares;
}

// Random odd factors of the elements of a block of integers.
using Factors = std::array<std::uint32_t, kSignedSumBlock>;

const Factors& factors() {
  static const Factors made = [] {
    Factors factors{};
    for (std::size_t i = 0; i < factors.size(); ++i) {
      factors[i] = signsOf(~std::uint64_t{i}) | 1;
    }
    return factors;
  }();
  return made;
}

// Sums of types of at most 32 bits mean something only modulo 2^32.
template <typename Integer>
[[gnu::always_inline]] inline void addIntegers(const char* from,
                                               std::size_t count,
                                               std::uint64_t block,
                                               Sums& sums) {
  using Sum =
      std::conditional_t<sizeof(Integer) == 8, std::uint64_t, std::uint32_t>;
  const std::uint32_t* const of_elements = factors().data();
  Sum sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Integer element;
    std::memcpy(&element, from + i * sizeof element, sizeof element);
    sum += static_cast<Sum>(element) * of_elements[i];
  }
  sums.integers += sum * (std::uint64_t{signsOf(block)} | 1);
}

// Returns whether the type is known.
TRACED_WIDE bool addBlock(DType dtype, const char* from, std::size_t count,
                          std::uint64_t block, Sums& sums) {
  switch (dtype) {
    case DType::kFloat32:
      addFloats<float>(from, count, block, sums);
      return true;
    case DType::kFloat64:
      addFloats<double>(from, count, block, sums);
      return true;
    case DType::kInt8:
    case DType::kUint8:
      addIntegers<std::uint8_t>(from, count, block, sums);
      return true;
    case DType::kInt16:
    case DType::kUint16:
      addIntegers<std::uint16_t>(from, count, block, sums);
      return true;
    case DType::kInt32:
    case DType::kUint32:
      addIntegers<std::uint32_t>(from, count, block, sums);
      return true;
    case DType::kInt64:
    case DType::kUint64:
      addIntegers<std::uint64_t>(from, count, block, sums);
      return true;
    default:
      return false;
  }
}

}  // namespace

bool hasSignedSum(DType dtype) {
  Sums none;
  return addBlock(dtype, nullptr, 0, 0, none);
}

SignedSum signedSum(DType dtype, const void* elements, std::size_t count) {
  const std::size_t element_bytes = elementType(dtype).bytes;
  const char* from = static_cast<const char*>(elements);
  Sums sums;
  for (std::uint64_t block = 0; count > 0; ++block) {
    const std::size_t some = std::min(count, kSignedSumBlock);
    addBlock(dtype, from, some, block, sums);
    from += some * element_bytes;
    count -= some;
  }
  const bool is_float = elementType(dtype).limits.largest > 0;
  return {is_float ? std::bit_cast<std::uint64_t>(sums.floats) : sums.integers,
          std::sqrt(sums.squares)};
}

}  // namespace traced
