#include "values/strided_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "support/test_seed.h"

namespace traced {
namespace {

using Dims = std::vector<std::int64_t>;

// Returns the elements in row-major order, by indexing.
std::vector<std::int32_t> byIndexing(const std::int32_t* first,
                                     const Dims& sizes, const Dims& strides) {
  std::vector<std::int32_t> elements;
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i;
    std::int64_t offset = 0;
    for (std::size_t dim = sizes.size(); dim-- > 0;) {
      offset += rest % sizes[dim] * strides[dim];
      rest /= sizes[dim];
    }
    elements.push_back(first[offset]);
  }
  return elements;
}

std::vector<std::int32_t> byPieces(const std::int32_t* first, const Dims& sizes,
                                   const Dims& strides) {
  std::vector<std::int32_t> elements;
  const StridedMemory memory{reinterpret_cast<const char*>(first), 4, sizes,
                             strides};
  forEachPiece(memory, [&](const char* piece, std::size_t bytes) {
    const std::size_t before = elements.size();
    elements.resize(before + bytes / 4);
    std::memcpy(elements.data() + before, piece, bytes);
  });
  return elements;
}

TEST(StridedMemory, VisitsElementsInOrder) {
  std::mt19937_64 random(testing::testSeed());
  std::vector<std::int32_t> memory(1 << 16);
  std::iota(memory.begin(), memory.end(), 0);
  for (int trial = 0; trial < 300; ++trial) {
    Dims sizes;
    Dims strides;
    for (std::size_t dim = random() % 5; dim > 0; --dim) {
      sizes.push_back(static_cast<std::int64_t>(random() % 8));
      strides.push_back(static_cast<std::int64_t>(random() % 1000));
    }
    EXPECT_EQ(byPieces(memory.data(), sizes, strides),
              byIndexing(memory.data(), sizes, strides))
        << trial;
  }
}

TEST(StridedMemory, JoinsTheInnermostConsecutiveDimensions) {
  std::vector<std::int32_t> memory(20000);
  std::iota(memory.begin(), memory.end(), 0);
  EXPECT_EQ(byPieces(memory.data(), {3, 1, 2000}, {4000, 7, 1}),
            byIndexing(memory.data(), {3, 1, 2000}, {4000, 7, 1}));
  int pieces = 0;
  forEachPiece({reinterpret_cast<const char*>(memory.data()), 4, Dims{5, 4000},
                Dims{4000, 1}},
               [&](const char*, std::size_t) { ++pieces; });
  EXPECT_EQ(pieces, 1);
}

}  // namespace
}  // namespace traced
