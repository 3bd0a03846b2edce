#include "analysis/job/operation_index.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

constexpr OperationKey kWorld{.group = 0};
constexpr OperationKey kShard{.group = 1};
constexpr OperationKey kMessage{.group = 0, .source = 1, .destination = 2};

TEST(OperationIndexTest, NumbersWhatIsNewAndKnowsWhatIsNot) {
  OperationIndex index;
  EXPECT_EQ(index.at(kWorld, 1, 0), 0u);
  EXPECT_EQ(index.at(kWorld, 2, 1), 1u);
  EXPECT_EQ(index.at(kWorld, 1, 2), 0u);
  EXPECT_EQ(index.find(kWorld, 2), 1u);
}

TEST(OperationIndexTest, DistinguishesGroupsAndMessages) {
  OperationIndex index;
  EXPECT_EQ(index.at(kWorld, 7, 0), 0u);
  EXPECT_EQ(index.at(kShard, 7, 1), 1u);
  EXPECT_EQ(index.at(kMessage, 7, 2), 2u);
  EXPECT_EQ(index.find(kWorld, 7), 0u);
  EXPECT_EQ(index.find(kShard, 7), 1u);
  EXPECT_EQ(index.find(kMessage, 7), 2u);
}

TEST(OperationIndexTest, UnnumberedOperationsHaveNoIndex) {
  OperationIndex index;
  EXPECT_EQ(index.find(kWorld, 1), OperationIndex::kNone);
  index.at(kWorld, 5, 0);
  EXPECT_EQ(index.find(kWorld, 4), OperationIndex::kNone);
  EXPECT_EQ(index.find(kWorld, 6), OperationIndex::kNone);
  EXPECT_EQ(index.find(kShard, 5), OperationIndex::kNone);
}

TEST(OperationIndexTest, NumbersNeedNotFollowEachOther) {
  OperationIndex index;
  constexpr std::uint64_t kFar = ~std::uint64_t{0};
  EXPECT_EQ(index.at(kWorld, kFar, 0), 0u);
  EXPECT_EQ(index.at(kWorld, 3, 1), 1u);
  EXPECT_EQ(index.at(kWorld, 1, 2), 2u);
  EXPECT_EQ(index.find(kWorld, kFar), 0u);
  EXPECT_EQ(index.find(kWorld, 3), 1u);
  EXPECT_EQ(index.find(kWorld, 1), 2u);
}

}  // namespace
}  // namespace traced
