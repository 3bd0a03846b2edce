// Tests which action follows from each verdict.

#include "analysis/diagnosis/verdicts/actions.h"

#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace traced {
namespace {

constexpr int kKinds = static_cast<int>(VerdictKind::kUndecided) + 1;

// Returns a job of four ranks on two hosts. Ranks 0 and 3 run here.
JobState jobOfFour() {
  JobState job;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    RankState state;
    state.rank = rank;
    state.host = rank < 2 ? "node0" : "node1";
    state.pid = 100 + rank;
    state.running = rank == 0 || rank == 3;
    job.ranks.push_back(state);
  }
  return job;
}

// Returns a certain verdict that blames rank 1.
JobVerdict verdictOf(VerdictKind kind) {
  JobVerdict verdict;
  verdict.kind = kind;
  verdict.finding = Confidence::kCertain;
  verdict.ranks = {0, 1, 2, 3};
  verdict.culprits = {1};
  return verdict;
}

std::string ruleFor(const JobState& job, const JobVerdict& verdict) {
  return traitsOf(actionFor(job, verdict).rule).name;
}

TEST(ActionsTest, EachKindHasARule) {
  const std::map<VerdictKind, std::string> rules = {
      {VerdictKind::kSharedGroupName, "groups_differ"},
      {VerdictKind::kEndedUnjoined, "groups_differ"},
      {VerdictKind::kDeadlock, "call_cycle"},
      {VerdictKind::kOrderMismatch, "calls_differ"},
      {VerdictKind::kOpMismatch, "calls_differ"},
      {VerdictKind::kSizeMismatch, "arguments_differ"},
      {VerdictKind::kDtypeMismatch, "arguments_differ"},
      {VerdictKind::kReduceOpMismatch, "arguments_differ"},
      {VerdictKind::kRootMismatch, "arguments_differ"},
      {VerdictKind::kSplitMismatch, "arguments_differ"},
      // How the process ended is not recorded.
      {VerdictKind::kLeftEarly, "died"},
      {VerdictKind::kNeverJoined, "absent_rank"},
      {VerdictKind::kP2pUnpaired, "absent_rank"},
      {VerdictKind::kHungIn, "hung_together"},
      {VerdictKind::kFailed, "operation_failed"},
      {VerdictKind::kProcessFailed, "died"},
      {VerdictKind::kAborted, "program_aborted"},
      {VerdictKind::kNeverWaited, "never_waited"},
      {VerdictKind::kBufferOverlap, "buffer_in_use"},
      {VerdictKind::kUnsynchronisedGradients, "gradients_apart"},
      {VerdictKind::kBufferChanged, "buffer_in_use"},
      {VerdictKind::kCorruptedTransfer, "data_changed"},
      {VerdictKind::kNanOrigin, "nan_computed"},
      {VerdictKind::kOverflowRisk, "range_too_small"},
      {VerdictKind::kReplicasDiverged, "copies_differ"},
      {VerdictKind::kSlowPeer, "slow_link"},
      {VerdictKind::kStraggler, "slow_rank"},
      {VerdictKind::kLate, "late_once"},
      {VerdictKind::kUndecided, "undecided"},
  };
  ASSERT_EQ(rules.size(), std::size_t{kKinds});
  for (const auto& [kind, rule] : rules) {
    EXPECT_EQ(ruleFor(jobOfFour(), verdictOf(kind)), rule) << nameOf(kind);
  }
}

TEST(ActionsTest, TheActionNamesTheProcessesOfTheCulprits) {
  JobVerdict verdict = verdictOf(VerdictKind::kNeverJoined);
  verdict.culprits = {1, 3};
  const RecommendedAction action = actionFor(jobOfFour(), verdict);
  EXPECT_STREQ(nameOf(action.action()), "restart");
  EXPECT_EQ(action.ranks, (Ranks{1, 3}));
  EXPECT_EQ(action.hosts, (std::vector<std::string>{"node0", "node1"}));
  // Nobody knows whether the process of rank 1 still runs.
  EXPECT_EQ(action.pids, (std::vector<std::int64_t>{103}));
}

TEST(ActionsTest, WithoutCulpritsAllRanksOfTheVerdictAreNamed) {
  JobVerdict verdict = verdictOf(VerdictKind::kHungIn);
  verdict.culprits.clear();
  EXPECT_EQ(actionFor(jobOfFour(), verdict).ranks, (Ranks{0, 1, 2, 3}));
}

TEST(ActionsTest, WithoutAnActionNoProcessIsNamed) {
  for (const VerdictKind kind :
       {VerdictKind::kStraggler, VerdictKind::kSlowPeer, VerdictKind::kLate,
        VerdictKind::kAborted, VerdictKind::kUndecided}) {
    const RecommendedAction action = actionFor(jobOfFour(), verdictOf(kind));
    EXPECT_STREQ(nameOf(action.action()), "none") << nameOf(kind);
    EXPECT_TRUE(action.ranks.empty() && action.hosts.empty() &&
                action.pids.empty())
        << nameOf(kind);
  }
}

TEST(ActionsTest, TheActionIsNoMoreCertainThanTheFindingAndTheRule) {
  JobVerdict verdict = verdictOf(VerdictKind::kNeverJoined);
  verdict.culprit = Confidence::kUndecided;
  EXPECT_EQ(actionFor(jobOfFour(), verdict).confidence, Confidence::kCertain);
  verdict.finding = Confidence::kLikely;
  EXPECT_EQ(actionFor(jobOfFour(), verdict).confidence, Confidence::kLikely);
  EXPECT_EQ(actionFor(jobOfFour(), verdictOf(VerdictKind::kFailed)).confidence,
            Confidence::kLikely);
}

struct End {
  const char* rule;
  EndKind kind;
  std::uint32_t signal = 0;
  bool oom_killed = false;
  const char* exception = "";
};

void PrintTo(const End& end, std::ostream* out) { *out << end.rule; }

class ActionEndsTest : public ::testing::TestWithParam<End> {};

// The rule depends on the process of the culprit, rank 1.
TEST_P(ActionEndsTest, ARankThatLeftIsJudgedByItsEnd) {
  JobState job = jobOfFour();
  ProcessEnd& end = job.ranks[1].end;
  end.kind = GetParam().kind;
  end.signal = GetParam().signal;
  end.oom_killed = GetParam().oom_killed;
  end.exception = GetParam().exception;
  EXPECT_EQ(ruleFor(job, verdictOf(VerdictKind::kLeftEarly)), GetParam().rule);
  EXPECT_EQ(ruleFor(job, verdictOf(VerdictKind::kProcessFailed)),
            GetParam().rule);
  JobVerdict killed = verdictOf(VerdictKind::kNeverJoined);
  NotJoined absence;
  absence.how = NotJoined::How::kLeftBefore;
  killed.summary = {absence};
  EXPECT_EQ(ruleFor(job, killed), GetParam().rule);
}

INSTANTIATE_TEST_SUITE_P(
    Ends, ActionEndsTest,
    ::testing::Values(
        End{"ended_in_order", EndKind::kInOrder},
        End{"exception", EndKind::kRaised, 0, false, "ValueError: boom"},
        End{"ended_from_outside", EndKind::kRaised, 0, false,
            "KeyboardInterrupt"},
        End{"exit_code", EndKind::kExited}, End{"died", EndKind::kDied},
        End{"killed", EndKind::kKilled, SIGKILL},
        End{"killed", EndKind::kKilled, SIGTERM},
        End{"ended_from_outside", EndKind::kKilled, SIGINT},
        End{"out_of_memory", EndKind::kKilled, SIGKILL, true},
        End{"crashed", EndKind::kKilled, SIGSEGV},
        End{"hardware_error", EndKind::kRaised, 0, false,
            "AcceleratorError: CUDA error: uncorrectable ECC error "
            "encountered"},
        End{"hardware_error", EndKind::kRaised, 0, false,
            "AcceleratorError: CUDA error: uncorrectable NVLink error "
            "detected during the execution"}));

TEST(ActionsTest, OnlyTheRanksWithAHardwareErrorAreReplaced) {
  JobState job = jobOfFour();
  job.ranks[3].first_failure.emplace();
  job.ranks[3].first_failure->error =
      "CUDA error: uncorrectable ECC error encountered";
  JobVerdict verdict = verdictOf(VerdictKind::kFailed);
  verdict.culprits = {1, 3};
  const RecommendedAction action = actionFor(job, verdict);
  EXPECT_STREQ(nameOf(action.action()), "replace_host");
  EXPECT_EQ(action.ranks, Ranks{3});
  EXPECT_EQ(action.hosts, std::vector<std::string>{"node1"});
  EXPECT_EQ(ruleFor(job, verdictOf(VerdictKind::kFailed)), "operation_failed");
}

TEST(ActionsTest, ACallThatThrewIsTheProgramsFault) {
  JobState job = jobOfFour();
  job.ranks[1].first_failure.emplace();
  job.ranks[1].first_failure->threw = true;
  EXPECT_EQ(ruleFor(job, verdictOf(VerdictKind::kFailed)), "call_threw");
}

TEST(ActionsTest, CallsThatLeaveTheOrderAreTheProgramsFault) {
  CalledElsewhere site;
  JobVerdict elsewhere = verdictOf(VerdictKind::kNeverJoined);
  elsewhere.summary = {site};
  EXPECT_EQ(ruleFor(jobOfFour(), elsewhere), "absent_rank");
  site.likely = CalledElsewhere::Likely::kExtra;
  elsewhere.summary = {site};
  EXPECT_EQ(ruleFor(jobOfFour(), elsewhere), "call_order");
  JobVerdict only = verdictOf(VerdictKind::kNeverJoined);
  only.summary = {OnlyTheseCalled{}};
  EXPECT_EQ(ruleFor(jobOfFour(), only), "call_order");
  for (const Fact& reason :
       {Fact(ContinuedDifferently{}), Fact(BrokeHabit{})}) {
    JobVerdict fork = verdictOf(VerdictKind::kNeverJoined);
    fork.reasons = {reason};
    EXPECT_EQ(ruleFor(jobOfFour(), fork), "call_order");
  }
}

// The program's order ends with the process, so it differs there, too.
TEST(ActionsTest, TheEndOfARankThatLeftCountsMoreThanTheOrder) {
  JobState job = jobOfFour();
  job.ranks[1].end.kind = EndKind::kKilled;
  job.ranks[1].end.signal = SIGKILL;
  JobVerdict left = verdictOf(VerdictKind::kLeftEarly);
  left.ranks = {1};
  left.reasons = {ContinuedDifferently{}};
  EXPECT_EQ(ruleFor(job, left), "killed");
  // Others made a call too many.
  left.culprits = {0};
  EXPECT_EQ(ruleFor(job, left), "call_order");
}

TEST(ActionsTest, AMessageThatCannotPairIsTheProgramsFault) {
  JobVerdict peer = verdictOf(VerdictKind::kP2pUnpaired);
  peer.reasons = {WrongPeer{}};
  EXPECT_EQ(ruleFor(jobOfFour(), peer), "messages_differ");
  JobVerdict tags = verdictOf(VerdictKind::kP2pUnpaired);
  tags.summary = {MessagesDiffer{}};
  EXPECT_EQ(ruleFor(jobOfFour(), tags), "messages_differ");
  JobState job = jobOfFour();
  job.ranks[1].end.kind = EndKind::kInOrder;
  EXPECT_EQ(ruleFor(job, verdictOf(VerdictKind::kP2pUnpaired)),
            "ended_in_order");
}

TEST(ActionsTest, AJobThatWasEndedFromOutsideNeedsNoAction) {
  JobVerdict together = verdictOf(VerdictKind::kNeverJoined);
  together.reasons = {PlainFact::kAllWereEnded};
  EXPECT_EQ(ruleFor(jobOfFour(), together), "ended_from_outside");
  JobVerdict killed = verdictOf(VerdictKind::kProcessFailed);
  killed.summary = {JobKilled{}};
  EXPECT_EQ(ruleFor(jobOfFour(), killed), "ended_from_outside");
}

std::string overall(const std::vector<JobVerdict>& verdicts,
                    bool healthy = false) {
  return traitsOf(actionFor(jobOfFour(), verdicts, healthy).rule).name;
}

TEST(ActionsTest, TheFirstVerdictWithAnActionDecidesAboutTheJob) {
  const JobVerdict slow = verdictOf(VerdictKind::kStraggler);
  const JobVerdict aborted = verdictOf(VerdictKind::kAborted);
  const JobVerdict overlap = verdictOf(VerdictKind::kBufferOverlap);
  EXPECT_EQ(overall({aborted, overlap, slow}), "buffer_in_use");
  EXPECT_EQ(overall({aborted, slow}), "program_aborted");
  EXPECT_EQ(overall({}, true), "healthy");
  EXPECT_EQ(overall({}), "end_unknown");
}

}  // namespace
}  // namespace traced
