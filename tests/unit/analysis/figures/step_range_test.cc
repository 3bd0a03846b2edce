#include "analysis/figures/step_range.h"

#include <gtest/gtest.h>

#include <optional>

namespace traced {
namespace {

TEST(StepRangeTest, HasBothItsEnds) {
  const auto range = StepRange::parse("10-49");
  ASSERT_TRUE(range);
  EXPECT_FALSE(range->holds(9));
  EXPECT_TRUE(range->holds(10));
  EXPECT_TRUE(range->holds(49));
  EXPECT_FALSE(range->holds(50));
  EXPECT_FALSE(range->holds(std::nullopt));
  EXPECT_EQ(range->text(), "10-49");
  EXPECT_EQ(StepRange::parse("7")->text(), "7");
}

TEST(StepRangeTest, AllHoldsAlsoWhatIsBeforeTheFirstStep) {
  const auto range = StepRange::parse("all");
  ASSERT_TRUE(range);
  EXPECT_TRUE(range->holds(std::nullopt));
  EXPECT_TRUE(range->holds(~std::uint64_t{0}));
  EXPECT_EQ(range->text(), "all");
}

TEST(StepRangeTest, RefusesWhatIsNoRange) {
  for (const char* text : {"", "a", "-", "1-", "-1", "5-4", "1-2-3", "ALL",
                           "1,2", "18446744073709551616"}) {
    EXPECT_FALSE(StepRange::parse(text)) << text;
  }
}

}  // namespace
}  // namespace traced
