// Which verdicts about a running job are told, and when.

#include "cli/diagnose/follow_log.h"

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
    found.summary = name;
    found.name = name;
    found.may_pass = may_pass;
    return found;
  }
  // At a call of a group, by its number.
  static FollowLog::Finding findingAt(
      std::uint64_t seq, const std::string& name,
      VerdictKind kind = VerdictKind::kNeverJoined) {
    FollowLog::Finding found = finding(name);
    found.verdict.kind = kind;
    found.verdict.group = 1;
    found.verdict.seq = seq;
    return found;
  }
  using Job = FollowLog::Job;

  // What is told of a look, and "-" before what is over.
  std::string look(std::vector<FollowLog::Finding> findings, seconds at,
                   Job job = Job::kRuns) {
    std::string said;
    const auto news =
        log_.look(std::move(findings), FollowLog::Time() + at, job);
    for (const auto& found : news.found) said += found.summary;
    for (const auto& over : news.over) said += "-" + over.summary;
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

TEST_F(FollowLogTest, TellsThatItWentOnAtTheLastLookOfAJobThatEndedInOrder) {
  look({finding("a")}, seconds(0));
  look({finding("a")}, seconds(1));
  EXPECT_EQ(look({}, seconds(2), Job::kEndedInOrder), "-a");
}

TEST_F(FollowLogTest, AJobThatWasKilledDidNotGoOn) {
  look({finding("a")}, seconds(0));
  look({finding("a")}, seconds(1));
  EXPECT_EQ(look({}, seconds(2), Job::kEnded), "");
}

TEST_F(FollowLogTest, WhatStandsStillForAnotherReasonDidNotGoOn) {
  const auto never_joined = findingAt(4, "never joined");
  const auto left = findingAt(4, "left", VerdictKind::kLeftEarly);
  look({never_joined}, seconds(0));
  look({never_joined}, seconds(1));
  EXPECT_EQ(look({left}, seconds(2)), "");
  EXPECT_EQ(look({left}, seconds(3)), "left");
}

TEST_F(FollowLogTest, WhatStoodStillForAnotherReasonGoesOnWithThatOne) {
  const auto never_joined = findingAt(4, "never joined");
  look({never_joined}, seconds(0));
  look({never_joined}, seconds(1));
  EXPECT_EQ(look({findingAt(4, "hangs", VerdictKind::kHungIn)}, seconds(2)),
            "");
  EXPECT_EQ(look({}, seconds(3)), "-never joined");
}

TEST_F(FollowLogTest, WhatStandsStillLaterWentOnBefore) {
  look({findingAt(4, "4")}, seconds(0));
  look({findingAt(4, "4")}, seconds(1));
  EXPECT_EQ(look({findingAt(5, "5")}, seconds(2)), "-4");
}

TEST_F(FollowLogTest, IsPatientWithWhatMayPass) {
  EXPECT_EQ(look({finding("a", true)}, seconds(0)), "");
  EXPECT_EQ(look({finding("a", true)}, kPatience - seconds(1)), "");
  EXPECT_EQ(look({finding("a", true)}, kPatience), "a");
}

TEST_F(FollowLogTest, PatienceEndsWhenItWillNotPass) {
  look({finding("a", true)}, seconds(0));
  EXPECT_EQ(look({finding("a", false)}, seconds(1)), "");
  EXPECT_EQ(look({finding("a", false)}, seconds(2)), "a");
}

TEST_F(FollowLogTest, WhoComputedAndRestsOnceMayJustHaveCome) {
  look({finding("a", true)}, seconds(0));
  look({finding("a", true)}, seconds(1));
  EXPECT_EQ(look({finding("a", false)}, seconds(2)), "");
  EXPECT_EQ(look({}, seconds(3)), "");
  EXPECT_FALSE(log_.toldAny());
}

TEST_F(FollowLogTest, TheLastLookTellsAll) {
  EXPECT_EQ(look({finding("a"), finding("b", true)}, seconds(0), Job::kEnded),
            "ab");
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
