#include "trace_io/varint.h"

#include <gtest/gtest.h>

#include <limits>

namespace traced {
namespace {

TEST(VarintTest, ReadsBackWhatItWrote) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128},
        std::uint64_t{16384}, std::numeric_limits<std::uint64_t>::max()}) {
    std::string bytes;
    appendVarint(bytes, value);
    EXPECT_EQ(parseVarint(bytes), value);
  }
}

TEST(VarintTest, AcceptsPaddingButNoOtherLength) {
  EXPECT_EQ(parseVarint(std::string("\x81\x00", 2)), 1u);
  EXPECT_EQ(parseVarint("\x81"), std::nullopt);
  EXPECT_EQ(parseVarint("\x01\x01"), std::nullopt);
  EXPECT_EQ(parseVarint(""), std::nullopt);
}

TEST(VarintTest, RefusesMoreThan64Bits) {
  EXPECT_EQ(parseVarint(std::string(9, '\xFF') + "\x02"), std::nullopt);
  EXPECT_EQ(parseVarint(std::string(10, '\x80') + std::string(1, '\0')),
            std::nullopt);
}

}  // namespace
}  // namespace traced
