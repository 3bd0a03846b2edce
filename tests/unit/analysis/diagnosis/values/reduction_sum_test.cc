// Tests whether the inputs of a reduction add up to its result.

#include "analysis/diagnosis/values/reduction_sum.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/test_seed.h"

namespace traced {
namespace {

using Floats = std::vector<float>;

// What the recorder does (backend/values/signed_sum.cc), with other signs.
PartSum sumOf(const Floats& floats) {
  std::mt19937 signs(7);
  double sum = 0;
  double squares = 0;
  for (const float each : floats) {
    sum += (signs() & 1) != 0 ? -double{each} : double{each};
    squares += double{each} * double{each};
  }
  HashRow row;
  row.summed = 1;
  row.sum_bits = std::bit_cast<std::uint64_t>(sum);
  row.norm_bits = std::bit_cast<std::uint64_t>(std::sqrt(squares));
  return PartSum(row);
}

PartSum integer(std::uint64_t sum) {
  HashRow row;
  row.summed = 1;
  row.sum_bits = sum;
  return PartSum(row);
}

// The inputs of ranks, and the sum in single precision.
struct Reduction {
  std::vector<Floats> inputs;
  Floats result;

  template <typename Make>
  Reduction(std::size_t ranks, std::size_t elements, Make make)
      : result(elements, 0) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      Floats& input = inputs.emplace_back(elements);
      for (std::size_t i = 0; i < elements; ++i) {
        input[i] = make();
        result[i] += input[i];
      }
    }
  }
  std::optional<bool> addsUp() const {
    ReductionSum sum;
    for (const Floats& input : inputs) sum.add(sumOf(input), v1::DTYPE_FLOAT32);
    return sum.explains(sumOf(result), 4 * result.size(), inputs.size());
  }
};

TEST(ReductionSum, ExplainsRounding) {
  std::mt19937 random(testing::testSeed());
  std::normal_distribution<float> normal;
  for (const std::size_t ranks : {2u, 8u, 64u}) {
    for (const std::size_t elements : {1u, 10u, 5000u}) {
      EXPECT_TRUE(
          *Reduction(ranks, elements, [&] { return normal(random); }).addsUp());
      // Errors of equal sign.
      EXPECT_TRUE(*Reduction(ranks, elements, [] { return 0.1F; }).addsUp());
    }
  }
}

// Squares of small numbers are 0, so norms alone would not bound rounding.
TEST(ReductionSum, ExplainsRoundingOfSmallNumbers) {
  std::mt19937 random(testing::testSeed());
  std::uniform_real_distribution<double> uniform(1, 2);
  for (const double scale : {1e-150, 1e-160, 1e-170, 1e-300}) {
    ReductionSum sum;
    std::vector<double> total(5000, 0);
    const auto partOf = [](const std::vector<double>& numbers) {
      std::mt19937 signs(7);
      double added = 0;
      double squares = 0;
      for (const double each : numbers) {
        added += (signs() & 1) != 0 ? -each : each;
        squares += each * each;
      }
      HashRow row;
      row.summed = 1;
      row.sum_bits = std::bit_cast<std::uint64_t>(added);
      row.norm_bits = std::bit_cast<std::uint64_t>(std::sqrt(squares));
      return PartSum(row);
    };
    for (int rank = 0; rank < 8; ++rank) {
      std::vector<double> input(total.size());
      for (std::size_t i = 0; i < input.size(); ++i) {
        input[i] = scale * uniform(random);
        total[i] += input[i];
      }
      sum.add(partOf(input), v1::DTYPE_FLOAT64);
    }
    EXPECT_TRUE(*sum.explains(partOf(total), 8 * total.size(), 8)) << scale;
  }
}

// docs/reference/values.md states these figures.
TEST(ReductionSum, FindsLostInputsAndFlippedExponents) {
  std::mt19937 random(testing::testSeed());
  std::normal_distribution<float> normal;
  const auto make = [&] { return normal(random); };
  Reduction lost(8, 5000, make);
  for (std::size_t i = 0; i < 5000; ++i) lost.result[i] -= lost.inputs[3][i];
  EXPECT_FALSE(*lost.addsUp());
  Reduction slice(8, 5000, make);
  for (std::size_t i = 0; i < 50; ++i) slice.result[i] = slice.result[i + 50];
  EXPECT_FALSE(*slice.addsUp());
  int found = 0;
  constexpr int kFlips = 300;
  Reduction flipped(8, 4096, make);
  for (int i = 0; i < kFlips; ++i) {
    float& element = flipped.result[random() % 4096];
    const float before = element;
    const std::uint32_t bit = 17 + random() % 15;
    element = std::bit_cast<float>(std::bit_cast<std::uint32_t>(element) ^
                                   (1U << bit));
    if (!std::isfinite(element))
      ++found;
    else
      found += !*flipped.addsUp();
    element = before;
  }
  EXPECT_GE(found, kFlips * 97 / 100);
}

TEST(ReductionSum, OfIntegersIsModuloTheirSize) {
  ReductionSum bytes;
  bytes.add(integer(200), v1::DTYPE_UINT8);
  bytes.add(integer(100), v1::DTYPE_UINT8);
  EXPECT_TRUE(*bytes.explains(integer(300 - 256), 10, 2));
  EXPECT_FALSE(*bytes.explains(integer(300 - 255), 10, 2));
  ReductionSum words;
  words.add(integer(0 - std::uint64_t{5}), v1::DTYPE_INT64);
  words.add(integer(7), v1::DTYPE_INT64);
  EXPECT_TRUE(*words.explains(integer(2), 8, 2));
  EXPECT_FALSE(*words.explains(integer(2 + (std::uint64_t{1} << 63)), 8, 2));
}

TEST(ReductionSum, IsUnknownUnlessAllInputsAre) {
  ReductionSum sum;
  sum.add(integer(1), v1::DTYPE_INT64);
  EXPECT_FALSE(sum.explains(integer(1), 8, 2));
  sum.add(integer(1), v1::DTYPE_INT32);
  EXPECT_FALSE(sum.explains(integer(1), 8, 2));
  ReductionSum unsummed;
  unsummed.add(PartSum(HashRow{}), v1::DTYPE_FLOAT32);
  EXPECT_FALSE(unsummed.explains(sumOf({1}), 4, 1));
  const Reduction infinite(
      2, 10, [] { return std::numeric_limits<float>::infinity(); });
  EXPECT_FALSE(infinite.addsUp());
  const Reduction overflowing(2, 10,
                              [] { return std::numeric_limits<float>::max(); });
  EXPECT_FALSE(overflowing.addsUp());
}

}  // namespace
}  // namespace traced
