#include "values/element_types.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "values/wide.h"

namespace traced {
namespace {

template <typename T, typename Out>
void convert(const void* elements, std::size_t count, Out* out) {
  const char* const from = static_cast<const char*>(elements);
  for (std::size_t i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, from + i * sizeof element, sizeof element);
    out[i] = static_cast<Out>(element);
  }
}

// Has no branches, so that the loop becomes vectors. Computes with no subnormal
// numbers, which the thread may flush to zero.
inline float fromHalf(std::uint32_t half) {
  const std::uint32_t sign = (half & 0x8000) << 16;
  const std::uint32_t exponent = half >> 10 & 0x1F;
  const std::uint32_t fraction = half & 0x3FF;
  const std::uint32_t is_infinite = 0U - (exponent == 0x1F);
  const std::uint32_t is_small = 0U - (exponent == 0);
  const std::uint32_t wide =
      (exponent + 112) << 23 | (is_infinite & 0x7F800000);
  const std::uint32_t normal = wide | fraction << 13;
  const auto subnormal = std::bit_cast<std::uint32_t>(
      static_cast<float>(static_cast<std::int32_t>(fraction)) * 0x1p-24F);
  return std::bit_cast<float>(sign | (subnormal & is_small) |
                              (normal & ~is_small));
}

#ifdef __x86_64__
// Returns how many elements it converted: a multiple of 8. Compilers do not use
// F16C for the loop below.
[[gnu::target("avx,f16c")]] std::size_t halvesInEights(const char* from,
                                                       std::size_t count,
                                                       float* out) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    __m128i halves;
    std::memcpy(&halves, from + 2 * i, sizeof halves);
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(halves));
  }
  return i;
}
#endif

TRACED_WIDE void halves(const void* elements, std::size_t count, float* out) {
  const char* from = static_cast<const char*>(elements);
#ifdef __x86_64__
  if (__builtin_cpu_supports("f16c")) {
    const std::size_t done = halvesInEights(from, count, out);
    from += 2 * done;
    out += done;
    count -= done;
  }
#endif
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t half;
    std::memcpy(&half, from + i * sizeof half, sizeof half);
    out[i] = fromHalf(half);
  }
}

// A bfloat16 is the upper half of a float.
TRACED_WIDE void brainFloats(const void* elements, std::size_t count,
                             float* out) {
  const char* const from = static_cast<const char*>(elements);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t upper;
    std::memcpy(&upper, from + i * sizeof upper, sizeof upper);
    out[i] = std::bit_cast<float>(std::uint32_t{upper} << 16);
  }
}

// An 8-bit floating-point format of the names that PyTorch uses.
struct SmallFloat {
  int exponent_bits;
  int bias;
  // What the largest exponent means: infinity and NaN as in IEEE 754, or
  // numbers except that all ones are NaN (FN), or numbers only, with NaN as the
  // negative zero (FNUZ).
  enum class Ends { kIeee, kFn, kFnuz } ends;

  int fractionBits() const { return 7 - exponent_bits; }

  float value(std::uint8_t bits) const {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    const int magnitude = bits & 0x7F;
    const int exponent = magnitude >> fractionBits();
    const int fraction = magnitude & ((1 << fractionBits()) - 1);
    const float sign = bits & 0x80 ? -1.0F : 1.0F;
    if (ends == Ends::kFnuz && bits == 0x80) return kNan;
    if (ends == Ends::kFn && magnitude == 0x7F) return kNan;
    if (ends == Ends::kIeee && exponent == (1 << exponent_bits) - 1) {
      return fraction ? kNan : sign * std::numeric_limits<float>::infinity();
    }
    const int whole = exponent == 0 ? 0 : 1 << fractionBits();
    const int power = (exponent == 0 ? 1 : exponent) - bias - fractionBits();
    return sign * std::ldexp(static_cast<float>(whole + fraction), power);
  }

  FloatLimits limits() const {
    FloatLimits limits{std::ldexp(1.0, 1 - bias), 0};
    for (int bits = 0; bits < 0x80; ++bits) {
      const double each = value(static_cast<std::uint8_t>(bits));
      if (std::isfinite(each)) limits.largest = std::max(limits.largest, each);
    }
    return limits;
  }
};

constexpr SmallFloat kE4M3FN{4, 7, SmallFloat::Ends::kFn};
constexpr SmallFloat kE5M2{5, 15, SmallFloat::Ends::kIeee};
constexpr SmallFloat kE4M3FNUZ{4, 8, SmallFloat::Ends::kFnuz};
constexpr SmallFloat kE5M2FNUZ{5, 16, SmallFloat::Ends::kFnuz};

template <const SmallFloat& format>
void smallFloats(const void* elements, std::size_t count, float* out) {
  static const auto table = [] {
    std::array<float, 256> values{};
    for (int bits = 0; bits < 256; ++bits) {
      values[bits] = format.value(static_cast<std::uint8_t>(bits));
    }
    return values;
  }();
  const auto* const from = static_cast<const std::uint8_t*>(elements);
  for (std::size_t i = 0; i < count; ++i) out[i] = table[from[i]];
}

template <const SmallFloat& format>
ElementType smallFloat() {
  static const FloatLimits limits = format.limits();
  return {1, smallFloats<format>, nullptr, limits};
}

template <typename T>
ElementType asFloat() {
  return {sizeof(T), convert<T, float>, nullptr, {}};
}

template <typename T>
ElementType asDouble() {
  return {sizeof(T), nullptr, convert<T, double>, {}};
}

template <typename T>
constexpr FloatLimits limitsOf() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

}  // namespace

ElementType elementType(DType dtype) {
  switch (dtype) {
    case DType::kUint8:
    case DType::kBool:
      return asFloat<std::uint8_t>();
    case DType::kInt8:
      return asFloat<std::int8_t>();
    case DType::kInt16:
      return asFloat<std::int16_t>();
    case DType::kUint16:
      return asFloat<std::uint16_t>();
    case DType::kInt32:
      return asDouble<std::int32_t>();
    case DType::kUint32:
      return asDouble<std::uint32_t>();
    case DType::kInt64:
      return asDouble<std::int64_t>();
    case DType::kUint64:
      return asDouble<std::uint64_t>();
    case DType::kFloat16:
      return {2, halves, nullptr, {0x1p-14, 65504}};
    case DType::kBFloat16:
      return {2, brainFloats, nullptr, {0x1p-126, 0x1.FEp127}};
    case DType::kFloat32:
      return {4, convert<float, float>, nullptr, limitsOf<float>()};
    case DType::kFloat64:
      return {8, nullptr, convert<double, double>, limitsOf<double>()};
    case DType::kFloat8E4M3FN:
      return smallFloat<kE4M3FN>();
    case DType::kFloat8E5M2:
      return smallFloat<kE5M2>();
    case DType::kFloat8E4M3FNUZ:
      return smallFloat<kE4M3FNUZ>();
    case DType::kFloat8E5M2FNUZ:
      return smallFloat<kE5M2FNUZ>();
    default:
      return {};
  }
}

}  // namespace traced
