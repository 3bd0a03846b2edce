#include "values/signed_sum.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "support/test_seed.h"

namespace traced {
namespace {

template <typename T>
SignedSum sumOf(DType dtype, const std::vector<T>& elements) {
  return signedSum(dtype, elements.data(), elements.size());
}

double asFloat(const SignedSum& sum) { return std::bit_cast<double>(sum.bits); }

template <typename T>
std::vector<T> randomIntegers(std::mt19937_64& random, std::size_t count) {
  std::vector<T> made(count);
  for (T& each : made) each = static_cast<T>(random());
  return made;
}

// Two vectors, and their sum, which wraps.
template <typename T>
void expectIntegersAddUp(DType dtype, std::mt19937_64& random) {
  const auto a = randomIntegers<T>(random, 5000);
  const auto b = randomIntegers<T>(random, 5000);
  std::vector<T> sum(a.size());
  using Wrapping = std::uint64_t;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum[i] = static_cast<T>(static_cast<Wrapping>(a[i]) +
                            static_cast<Wrapping>(b[i]));
  }
  const int unused = 64 - 8 * static_cast<int>(sizeof(T));
  const std::uint64_t parts = sumOf(dtype, a).bits + sumOf(dtype, b).bits;
  EXPECT_EQ((parts - sumOf(dtype, sum).bits) << unused, 0u);
  // Any change of one element shows.
  sum[random() % sum.size()] ^= static_cast<T>(1);
  EXPECT_NE((parts - sumOf(dtype, sum).bits) << unused, 0u);
}

TEST(SignedSum, OfIntegersIsExact) {
  std::mt19937_64 random(testing::testSeed());
  expectIntegersAddUp<std::int8_t>(DType::kInt8, random);
  expectIntegersAddUp<std::uint8_t>(DType::kUint8, random);
  expectIntegersAddUp<std::int16_t>(DType::kInt16, random);
  expectIntegersAddUp<std::uint16_t>(DType::kUint16, random);
  expectIntegersAddUp<std::int32_t>(DType::kInt32, random);
  expectIntegersAddUp<std::uint32_t>(DType::kUint32, random);
  expectIntegersAddUp<std::int64_t>(DType::kInt64, random);
  expectIntegersAddUp<std::uint64_t>(DType::kUint64, random);
}

TEST(SignedSum, OfFloatsIsLinear) {
  std::mt19937_64 random(testing::testSeed());
  std::normal_distribution<float> normal;
  std::vector<float> a(5000);
  for (float& each : a) each = normal(random);
  std::vector<float> twice(a);
  for (float& each : twice) each *= 2;
  EXPECT_DOUBLE_EQ(2 * asFloat(sumOf(DType::kFloat32, a)),
                   asFloat(sumOf(DType::kFloat32, twice)));
  double squares = 0;
  for (const float each : a) squares += double{each} * double{each};
  EXPECT_NEAR(sumOf(DType::kFloat32, a).norm, std::sqrt(squares), 1e-9);
  const std::vector<double> wide(a.begin(), a.end());
  EXPECT_NEAR(asFloat(sumOf(DType::kFloat64, wide)),
              asFloat(sumOf(DType::kFloat32, a)), 1e-9);
}

TEST(SignedSum, ChangesIfElementsOrBlocksAreExchanged) {
  std::vector<std::int64_t> numbers(4 * kSignedSumBlock);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<std::int64_t>(i * i);
  }
  const std::uint64_t before = sumOf(DType::kInt64, numbers).bits;
  auto blocks = numbers;
  std::swap_ranges(blocks.begin(), blocks.begin() + kSignedSumBlock,
                   blocks.begin() + 2 * kSignedSumBlock);
  EXPECT_NE(sumOf(DType::kInt64, blocks).bits, before);
  int changed = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    auto exchanged = numbers;
    std::swap(exchanged[i], exchanged[i + 1000]);
    changed += sumOf(DType::kInt64, exchanged).bits != before;
  }
  EXPECT_EQ(changed, 100);
}

// The bound of rounding errors needs signs that are independent: then sums of
// ones grow with the root of their number.
TEST(SignedSum, OfOnesIsSmall) {
  for (const std::size_t count : {std::size_t{1} << 10, std::size_t{1} << 16,
                                  std::size_t{1} << 20, std::size_t{1} << 23}) {
    const SignedSum sum = sumOf(DType::kFloat32, std::vector<float>(count, 1));
    EXPECT_LT(std::abs(asFloat(sum)), 4 * sum.norm) << count;
  }
}

TEST(SignedSum, IsNotFiniteIfAnElementIsNot) {
  std::vector<float> floats(100, 1);
  floats[50] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(std::isfinite(asFloat(sumOf(DType::kFloat32, floats))));
  floats[50] = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(std::isfinite(asFloat(sumOf(DType::kFloat32, floats))));
}

TEST(SignedSum, OfOtherTypesIsUnknown) {
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kBool,
                            DType::kFloat8E5M2, DType::kOther}) {
    EXPECT_FALSE(hasSignedSum(dtype));
  }
}

}  // namespace
}  // namespace traced
