#include <gtest/gtest.h>

#include <string>

#include "cli/common/help.h"

namespace traced {
namespace {

const std::vector<std::string> kVerbs = {"info", "merge", "report", "show"};

TEST(NearestTest, SuggestsTheWordForATypo) {
  for (const char* slip : {"reprot", "repor", "reports", "rebort", "eport"}) {
    EXPECT_EQ(nearestName(slip, kVerbs), "report") << slip;
  }
  EXPECT_EQ(nearestName("inof", kVerbs), "info");
}

TEST(NearestTest, SuggestsNothingForADistantWord) {
  EXPECT_EQ(nearestName("traces", kVerbs), std::nullopt);
  EXPECT_EQ(nearestName("", kVerbs), std::nullopt);
  EXPECT_EQ(nearestName(std::string(100'000, 'x'), kVerbs), std::nullopt);
  EXPECT_EQ(didYouMean("traces", kVerbs), "");
}

TEST(NearestTest, SuggestionIsAQuestion) {
  EXPECT_EQ(didYouMean("reprot", kVerbs), ", did you mean report?");
}

}  // namespace
}  // namespace traced
