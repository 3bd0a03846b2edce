#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace traced {
namespace {

TEST(ResultTest, MovesTheValueOutOfATemporary) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 7);
  EXPECT_EQ(*result, nullptr);
}

}  // namespace
}  // namespace traced
