#include "phrasing/action_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "phrasing/last_line.h"

namespace traced {
namespace {

TEST(ActionTextTest, EachRuleHasOneSentence) {
  for (int i = 0; i <= static_cast<int>(ActionRule::kOnlyObserved); ++i) {
    const std::string why = whyText(static_cast<ActionRule>(i));
    EXPECT_EQ(std::count(why.begin(), why.end(), '.'), 1) << why;
    EXPECT_TRUE(why.ends_with('.')) << why;
  }
}

TEST(ActionTextTest, TheLineHasSixWords) {
  EXPECT_EQ(actionLine({ActionRule::kAbsentRank,
                        Confidence::kCertain,
                        {3, 5},
                        {"node7", "node8.example"},
                        {4711, 4712}}),
            "restart certain ranks=3,5 hosts=node7,node8.example "
            "pids=4711,4712 rule=absent_rank");
  EXPECT_EQ(actionLine({}), "none certain ranks= hosts= pids= rule=healthy");
}

// A trace is not trusted, and scripts pass hosts on to other programs.
TEST(ActionTextTest, TheLineHasOnlyHostsThatCannotBeTakenForAnythingElse) {
  const RecommendedAction action{ActionRule::kHardwareError,
                                 Confidence::kCertain,
                                 {1},
                                 {"a b", "$(date)", "-v", "", "node_1-a.b"},
                                 {}};
  EXPECT_EQ(actionLine(action),
            "replace_host certain ranks=1 hosts=node_1-a.b pids= "
            "rule=hardware_error");
}

TEST(ActionTextTest, TheLastLineOfALogHasTheAction) {
  JobVerdict verdict;
  verdict.kind = VerdictKind::kHungIn;
  verdict.finding = Confidence::kCertain;
  const std::string line = verdictLine({}, verdict, "traces/run42");
  EXPECT_TRUE(
      line.ends_with("  action: restart (certain)"
                     "  proof: tracectl diagnose traces/run42"))
      << line;
  verdict.kind = VerdictKind::kAborted;
  EXPECT_EQ(verdictLine({}, verdict, "traces/run42").find("action"),
            std::string::npos);
}

}  // namespace
}  // namespace traced
