#include "analysis/stream/losses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "phrasing/warnings.h"

namespace traced {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

StreamTable notClosed(std::uint32_t rank) {
  StreamTable table;
  table.header.set_rank(rank);
  table.header.set_host("node-" + std::to_string(100 + rank));
  table.ring = RingState::kNone;
  return table;
}

TEST(LossesTest, NamesTheHostsThatMayHaveTheEnd) {
  Losses losses;
  for (std::uint32_t rank = 0; rank < 8; ++rank) losses.add(notClosed(rank));
  EXPECT_THAT(lossTexts(losses),
              ElementsAre(HasSubstr("of host node-100, node-101, node-102, "
                                    "node-103, node-104, node-105, node-106, "
                                    "node-107, or of a container")));
}

TEST(LossesTest, CountsHostsOfWhichThereAreMany) {
  Losses losses;
  for (std::uint32_t rank = 0; rank < 20; ++rank) losses.add(notClosed(rank));
  ASSERT_EQ(lossTexts(losses).size(), 1u);
  EXPECT_THAT(lossTexts(losses)[0], HasSubstr("node-107 and 12 more, or of"));
  EXPECT_THAT(lossTexts(losses)[0], Not(HasSubstr("node-108")));
}

}  // namespace
}  // namespace traced
