#include "values/statistics.h"

#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "support/test_seed.h"

namespace traced {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

template <typename T>
Statistics of(DType dtype, const std::vector<T>& elements) {
  return statisticsOf(dtype, elements.data(), elements.size());
}

std::vector<std::uint64_t> countsOf(const Statistics& found) {
  return {found.elements, found.nan,       found.infinite,
          found.zero,     found.subnormal, found.saturated};
}

TEST(Statistics, CountEachClassOfFloats) {
  const Statistics found =
      of<float>(DType::kFloat32, {1, kNan, kInfinity, -kInfinity, -3, 0, -0.0F,
                                  1e-40F, -1e-45F, kLargest, -kLargest, -kNan});
  EXPECT_EQ(found.elements, 12u);
  EXPECT_EQ(found.nan, 2u);
  EXPECT_EQ(found.infinite, 2u);
  EXPECT_EQ(found.zero, 2u);
  EXPECT_EQ(found.subnormal, 2u);
  EXPECT_EQ(found.saturated, 2u);
  EXPECT_EQ(found.finite(), 8u);
  EXPECT_EQ(found.minimum, -kLargest);
  EXPECT_EQ(found.maximum, kLargest);
}

TEST(Statistics, SumTheFiniteElements) {
  const Statistics found =
      of<double>(DType::kFloat64, {3, std::nan(""), -4, HUGE_VAL});
  EXPECT_EQ(found.mean(), -0.5);
  EXPECT_EQ(found.norm(), 5);
  EXPECT_EQ(found.absoluteMaximum(), 4);
}

TEST(Statistics, WithoutFiniteElementsHaveNone) {
  const Statistics found = of<float>(DType::kFloat32, {kNan, kInfinity});
  EXPECT_EQ(found.finite(), 0u);
  EXPECT_EQ(found.sum, 0);
}

TEST(Statistics, OfIntegersAreNumbers) {
  const Statistics found = of<std::int64_t>(DType::kInt64, {-5, 0, 7});
  EXPECT_EQ(found.minimum, -5);
  EXPECT_EQ(found.maximum, 7);
  EXPECT_EQ(found.zero, 1u);
  EXPECT_EQ(found.subnormal + found.saturated, 0u);
  EXPECT_EQ(of<std::uint8_t>(DType::kBool, {1, 0, 1}).mean(), 2.0 / 3);
  EXPECT_EQ(of<std::int8_t>(DType::kInt8, {-128, 127}).minimum, -128);
  EXPECT_EQ(of<std::uint64_t>(DType::kUint64, {~0ULL}).maximum, 0x1p64);
}

// Compares with plain loops, over several blocks.
TEST(Statistics, AgreeWithPlainLoops) {
  std::mt19937_64 random(testing::testSeed());
  std::vector<float> elements(5000);
  double sum = 0;
  double squares = 0;
  for (float& each : elements) {
    each = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(each)) continue;
    each = std::fmod(each, 100.0F);
    sum += each;
    squares += double{each} * each;
  }
  const Statistics found = of(DType::kFloat32, elements);
  EXPECT_NEAR(found.sum, sum, 1e-6 * std::abs(sum) + 1e-6);
  EXPECT_NEAR(found.sum_of_squares, squares, 1e-9 * squares);
}

// IEEE 754 half precision, decoded by its definition.
double halfByDefinition(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  return exponent == 0 ? sign * std::ldexp(fraction, -24)
                       : sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(Statistics, DecodeEveryHalf) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double value = halfByDefinition(half);
    const Statistics found = of<std::uint16_t>(DType::kFloat16, {half});
    EXPECT_EQ(found.nan, std::isnan(value) ? 1u : 0u) << bits;
    EXPECT_EQ(found.infinite, std::isinf(value) ? 1u : 0u) << bits;
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(found.sum, value) << bits;
    const double size = std::abs(value);
    EXPECT_EQ(found.subnormal, size > 0 && size < 0x1p-14 ? 1u : 0u) << bits;
    EXPECT_EQ(found.saturated, size == 65504 ? 1u : 0u) << bits;
  }
}

TEST(Statistics, DecodeManyHalvesAsEachOne) {
  std::vector<std::uint16_t> all(0x10000 + 5);
  Statistics each;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = static_cast<std::uint16_t>(i * 40503);  // odd: every half
    each += of<std::uint16_t>(DType::kFloat16, {all[i]});
  }
  const Statistics found = of(DType::kFloat16, all);
  EXPECT_EQ(countsOf(found), countsOf(each));
  EXPECT_EQ(found.minimum, each.minimum);
  EXPECT_EQ(found.maximum, each.maximum);
  EXPECT_NEAR(found.sum, each.sum, 1e-6);
  EXPECT_NEAR(found.sum_of_squares, each.sum_of_squares, 1);
}

// Blocks in which nothing is counted, and one number that is, at several
// places.
template <typename Float>
void expectEachIsCounted(DType dtype) {
  using Limits = std::numeric_limits<Float>;
  const Float unusual[] = {0,
                           Float{-0.0F},
                           Limits::denorm_min(),
                           -Limits::min() / 2,
                           Limits::max(),
                           -Limits::max(),
                           Limits::infinity(),
                           -Limits::infinity(),
                           Limits::quiet_NaN()};
  for (const Float number : unusual) {
    for (const std::size_t place : {0, 1023, 1024, 2999}) {
      std::vector<Float> elements(3000, 2);
      elements[place] = number;
      Statistics expected = of<Float>(dtype, {number});
      expected.elements += 2999;
      const Statistics found = of(dtype, elements);
      EXPECT_EQ(countsOf(found), countsOf(expected)) << number << " " << place;
      const bool is_finite = std::isfinite(number);
      EXPECT_EQ(found.sum, 2 * 2999.0 + (is_finite ? double{number} : 0));
      EXPECT_EQ(found.minimum, is_finite ? std::min<double>(number, 2) : 2);
      EXPECT_EQ(found.maximum, is_finite ? std::max<double>(number, 2) : 2);
    }
  }
}

TEST(Statistics, CountWhatIsUnusualInAnyPlace) {
  expectEachIsCounted<float>(DType::kFloat32);
  expectEachIsCounted<double>(DType::kFloat64);
}

TEST(Statistics, CountZerosOfIntegersInAnyPlace) {
  for (const std::size_t place : {0, 1023, 1024, 2999}) {
    std::vector<std::int32_t> elements(3000, -7);
    elements[place] = 0;
    EXPECT_EQ(of(DType::kInt32, elements).zero, 1u);
  }
}

TEST(Statistics, KnowTheLargestNumberOfSmallFormats) {
  const std::vector<std::pair<DType, double>> largest = {
      {DType::kFloat8E4M3FN, 448},
      {DType::kFloat8E5M2, 57344},
      {DType::kFloat8E4M3FNUZ, 240},
      {DType::kFloat8E5M2FNUZ, 57344},
  };
  for (const auto& [dtype, expected] : largest) {
    std::vector<std::uint8_t> all(256);
    for (int i = 0; i < 256; ++i) all[i] = static_cast<std::uint8_t>(i);
    const Statistics found = of(dtype, all);
    EXPECT_EQ(found.maximum, expected);
    EXPECT_EQ(found.saturated, 2u);
  }
  const Statistics brain =
      of<std::uint16_t>(DType::kBFloat16, {0x3F80, 0x7F7F, 0x0001, 0x7FC0});
  EXPECT_EQ(brain.minimum, 0x1p-133);
  EXPECT_EQ(brain.saturated, 1u);
  EXPECT_EQ(brain.subnormal, 1u);
  EXPECT_EQ(brain.nan, 1u);
}

TEST(Statistics, DoNotDependOnFlushToZero) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);  // flush results, and read subnormals as zero
  const Statistics floats = of<float>(DType::kFloat32, {1e-40F, 0});
  const Statistics halves = of<std::uint16_t>(DType::kFloat16, {0x0001});
  _mm_setcsr(before);
  EXPECT_EQ(floats.subnormal, 1u);
  EXPECT_EQ(floats.zero, 1u);
  EXPECT_EQ(halves.sum, 0x1p-24);
}

TEST(Statistics, OfOtherTypesAreUnknown) {
  EXPECT_FALSE(hasStatistics(DType::kComplex64));
  EXPECT_FALSE(hasStatistics(DType::kQint8));
  EXPECT_FALSE(hasStatistics(DType::kFloat4E2M1FNX2));
  EXPECT_TRUE(hasStatistics(DType::kBool));
}

}  // namespace
}  // namespace traced
