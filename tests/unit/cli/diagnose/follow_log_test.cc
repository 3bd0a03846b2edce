// Tests which verdicts about a running job are printed, and when.

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
  // Returns a finding at a group's call with number `seq`.
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

  // Returns the output of one update. "-" precedes findings that are over.
  std::string update(std::vector<FollowLog::Finding> findings, seconds at,
                     Job job = Job::kRuns) {
    std::string reported;
    const auto news =
        log_.update(std::move(findings), FollowLog::Time() + at, job);
    for (const auto& found : news.found) reported += found.summary;
    for (const auto& over : news.over) reported += "-" + over.summary;
    return reported;
  }

  FollowLog log_{kPatience};
};

TEST_F(FollowLogTest, ReportsARepeatedFindingOnce) {
  EXPECT_EQ(update({finding("a")}, seconds(0)), "");
  EXPECT_FALSE(log_.hasReported());
  EXPECT_EQ(update({finding("a"), finding("b")}, seconds(1)), "a");
  EXPECT_TRUE(log_.hasReported());
  EXPECT_EQ(update({finding("a"), finding("b")}, seconds(2)), "b");
  EXPECT_EQ(update({finding("a"), finding("b")}, seconds(3)), "");
}

TEST_F(FollowLogTest, ATransientFindingIsNotReportedAndStartsOver) {
  EXPECT_EQ(update({finding("a")}, seconds(0)), "");
  EXPECT_EQ(update({}, seconds(1)), "");
  EXPECT_EQ(update({finding("a")}, seconds(2)), "");
  EXPECT_EQ(update({}, seconds(3)), "");
  EXPECT_FALSE(log_.hasReported());
}

TEST_F(FollowLogTest, ReportsTheEndOfAFinding) {
  update({finding("a")}, seconds(0));
  update({finding("a")}, seconds(1));
  EXPECT_EQ(update({}, seconds(2)), "-a");
  EXPECT_EQ(update({}, seconds(3)), "");
  update({finding("a")}, seconds(4));
  EXPECT_EQ(update({finding("a")}, seconds(5)), "a") << "it hangs again";
}

TEST_F(FollowLogTest, ReportsTheEndAtTheLastUpdateOfANormalExit) {
  update({finding("a")}, seconds(0));
  update({finding("a")}, seconds(1));
  EXPECT_EQ(update({}, seconds(2), Job::kEndedInOrder), "-a");
}

TEST_F(FollowLogTest, AKilledJobEndsNoFinding) {
  update({finding("a")}, seconds(0));
  update({finding("a")}, seconds(1));
  EXPECT_EQ(update({}, seconds(2), Job::kEnded), "");
}

TEST_F(FollowLogTest, AChangedReasonIsNoEnd) {
  const auto never_joined = findingAt(4, "never joined");
  const auto left = findingAt(4, "left", VerdictKind::kLeftEarly);
  update({never_joined}, seconds(0));
  update({never_joined}, seconds(1));
  EXPECT_EQ(update({left}, seconds(2)), "");
  EXPECT_EQ(update({left}, seconds(3)), "left");
}

TEST_F(FollowLogTest, AFindingEndsTogetherWithItsChangedReason) {
  const auto never_joined = findingAt(4, "never joined");
  update({never_joined}, seconds(0));
  update({never_joined}, seconds(1));
  EXPECT_EQ(update({findingAt(4, "hangs", VerdictKind::kHungIn)}, seconds(2)),
            "");
  EXPECT_EQ(update({}, seconds(3)), "-never joined");
}

TEST_F(FollowLogTest, AHangAtALaterCallEndsTheEarlierOne) {
  update({findingAt(4, "4")}, seconds(0));
  update({findingAt(4, "4")}, seconds(1));
  EXPECT_EQ(update({findingAt(5, "5")}, seconds(2)), "-4");
}

TEST_F(FollowLogTest, WaitsBeforeReportingATransientFinding) {
  EXPECT_EQ(update({finding("a", true)}, seconds(0)), "");
  EXPECT_EQ(update({finding("a", true)}, kPatience - seconds(1)), "");
  EXPECT_EQ(update({finding("a", true)}, kPatience), "a");
}

TEST_F(FollowLogTest, PatienceEndsWhenItWillNotPass) {
  update({finding("a", true)}, seconds(0));
  EXPECT_EQ(update({finding("a", false)}, seconds(1)), "");
  EXPECT_EQ(update({finding("a", false)}, seconds(2)), "a");
}

TEST_F(FollowLogTest, AnUncertainFindingThatPassesIsNotReported) {
  update({finding("a", true)}, seconds(0));
  update({finding("a", true)}, seconds(1));
  EXPECT_EQ(update({finding("a", false)}, seconds(2)), "");
  EXPECT_EQ(update({}, seconds(3)), "");
  EXPECT_FALSE(log_.hasReported());
}

TEST_F(FollowLogTest, TheLastUpdateReportsAll) {
  EXPECT_EQ(update({finding("a"), finding("b", true)}, seconds(0), Job::kEnded),
            "ab");
}

TEST_F(FollowLogTest, AMismatchOutOfViewIsNotOver) {
  FollowLog::Finding mismatch = finding("m");
  mismatch.verdict.kind = VerdictKind::kOpMismatch;
  update({mismatch}, seconds(0));
  EXPECT_EQ(update({mismatch}, seconds(1)), "m");
  EXPECT_EQ(update({}, seconds(2)), "");
  update({mismatch}, seconds(3));
  EXPECT_EQ(update({mismatch}, seconds(4)), "") << "told";
}

}  // namespace
}  // namespace traced
