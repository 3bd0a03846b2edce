// Which verdicts about a running job are told, and when.

#include "cli/follow_log.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

using std::chrono::seconds;

constexpr seconds kPatience{60};

class FollowLogTest : public ::testing::Test {
 protected:
  static FollowLog::Finding finding(const std::string& name,
                                    bool may_pass = false) {
    FollowLog::Finding found;
    found.verdict.kind = VerdictKind::kNeverJoined;
    found.verdict.summary = name;
    found.name = name;
    found.may_pass = may_pass;
    return found;
  }
  // What is told of a look, and "-" before what is over.
  std::string look(std::vector<FollowLog::Finding> findings, seconds at,
                   bool last = false) {
    std::string said;
    const auto news =
        log_.look(std::move(findings), FollowLog::Time() + at, last);
    for (const JobVerdict& verdict : news.verdicts) said += verdict.summary;
    for (const JobVerdict& verdict : news.over) said += "-" + verdict.summary;
    return said;
  }

  FollowLog log_{kPatience};
};

TEST_F(FollowLogTest, TellsOnceWhatIsSeenTwice) {
  EXPECT_EQ(look({finding("a")}, seconds(0)), "");
  EXPECT_FALSE(log_.toldAny());
  EXPECT_EQ(look({finding("a"), finding("b")}, seconds(1)), "a");
  EXPECT_TRUE(log_.toldAny());
  EXPECT_EQ(look({finding("a"), finding("b")}, seconds(2)), "b");
  EXPECT_EQ(look({finding("a"), finding("b")}, seconds(3)), "");
}

TEST_F(FollowLogTest, WhatPassesIsNotToldAndBeginsAnew) {
  EXPECT_EQ(look({finding("a")}, seconds(0)), "");
  EXPECT_EQ(look({}, seconds(1)), "");
  EXPECT_EQ(look({finding("a")}, seconds(2)), "");
  EXPECT_EQ(look({}, seconds(3)), "");
  EXPECT_FALSE(log_.toldAny());
}

TEST_F(FollowLogTest, TellsWhenItWentOn) {
  look({finding("a")}, seconds(0));
  look({finding("a")}, seconds(1));
  EXPECT_EQ(look({}, seconds(2)), "-a");
  EXPECT_EQ(look({}, seconds(3)), "");
  look({finding("a")}, seconds(4));
  EXPECT_EQ(look({finding("a")}, seconds(5)), "a") << "it hangs again";
}

TEST_F(FollowLogTest, IsPatientWithWhatMayPass) {
  EXPECT_EQ(look({finding("a", true)}, seconds(0)), "");
  EXPECT_EQ(look({finding("a", true)}, kPatience - seconds(1)), "");
  EXPECT_EQ(look({finding("a", true)}, kPatience), "a");
}

TEST_F(FollowLogTest, PatienceEndsWhenItWillNotPass) {
  look({finding("a", true)}, seconds(0));
  EXPECT_EQ(look({finding("a", false)}, seconds(1)), "a");
}

TEST_F(FollowLogTest, TheLastLookTellsAll) {
  EXPECT_EQ(look({finding("a"), finding("b", true)}, seconds(0), true), "ab");
}

TEST_F(FollowLogTest, WhatIsOutOfSightIsNotOver) {
  FollowLog::Finding mismatch = finding("m");
  mismatch.verdict.kind = VerdictKind::kOpMismatch;
  look({mismatch}, seconds(0));
  EXPECT_EQ(look({mismatch}, seconds(1)), "m");
  EXPECT_EQ(look({}, seconds(2)), "");
  look({mismatch}, seconds(3));
  EXPECT_EQ(look({mismatch}, seconds(4)), "") << "told";
}

}  // namespace
}  // namespace traced
