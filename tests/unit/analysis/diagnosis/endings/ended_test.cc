// Tests verdicts about processes that ended.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <string>

#include "analysis/stream/process_end.h"
#include "phrasing/end_text.h"
#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::uint32_t addSum(RankBuilder& rank) {
  return rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
}

// Three ranks that agree on two operations.
JobBuilder agreeing() {
  JobBuilder job(3);
  job.all([](RankBuilder& rank) {
    const std::uint32_t sum = addSum(rank);
    rank.end(sum, 0);
    rank.end(sum, 10);
  });
  return job;
}

const ProcessEnd& endOf(const Diagnosis& diagnosis, std::uint32_t rank) {
  return diagnosis.job.rank(rank)->end;
}

TEST(EndedTest, ARankThatRaisedBeforeAnOperationIsReportedWithWhatItRaised) {
  for (const Ending ending : {Ending::kClosed, Ending::kRecovered}) {
    JobBuilder job(3);
    job.all([](RankBuilder& rank) { rank.end(addSum(rank), 0); });
    job.allBut(1, [](RankBuilder& rank) { rank.fail(1, 10, 500, "reset"); });
    // The process takes some time to end.
    job.rank(1).raise(11, "RuntimeError: out of memory\nat some place");
    job.rank(1).live(600);
    const Diagnosis diagnosis = diagnoseJob(job, ending);
    expectVerdict(diagnosis, VerdictKind::kLeftEarly, {1});
    EXPECT_THAT(textOf(diagnosis),
                HasSubstr("raised RuntimeError: out of memory."));
    EXPECT_THAT(textOf(diagnosis), Not(HasSubstr("ended in order")));
    EXPECT_STREQ(nameOf(endOf(diagnosis, 1).kind), "raised");
  }
}

TEST(EndedTest, AJobThatAnExceptionEndedIsNotHealthy) {
  JobBuilder job = agreeing();
  job.all([](RankBuilder& rank) { rank.processEnd().set_exit_code(1); });
  job.rank(0).raise(40, "ValueError: dim 3");
  job.rank(1).raise(30, "ValueError: dim 4");
  job.rank(2).raise(50, "OSError: gone");
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kProcessFailed, {0, 1});
  EXPECT_THAT(textOf(diagnosis), HasSubstr("rank 1 first"));
  // Sorted by rank number, whoever failed first.
  EXPECT_THAT(diagnosis.verdicts[0].ranks, ::testing::ElementsAre(0, 1, 2));
  EXPECT_THAT(textOf(diagnosis), HasSubstr("Rank 2 raised OSError: gone."));
}

TEST(EndedTest, ANonzeroExitCodeIsAFailure) {
  const auto exited = [](std::uint32_t code) {
    JobBuilder job = agreeing();
    job.all([](RankBuilder& rank) { rank.processEnd().set_exit_code(0); });
    job.rank(2).processEnd().set_exit_code(code);
    return diagnoseJob(job);
  };
  expectHealthy(exited(0));
  const Diagnosis diagnosis = exited(3);
  expectVerdict(diagnosis, VerdictKind::kProcessFailed, {2});
  EXPECT_THAT(textOf(diagnosis), HasSubstr("exited with code 3"));
}

TEST(EndedTest, AnExceptionFromAFailedOperationIsAConsequence) {
  JobBuilder job(2);
  job.all([](RankBuilder& rank) {
    rank.fail(addSum(rank), 0, 20, "Connection closed by peer");
    rank.raise(30, "RuntimeError: Connection closed by peer");
    rank.processEnd().set_exit_code(1);
  });
  expectVerdict(diagnoseJob(job), VerdictKind::kFailed, {0, 1});
}

TEST(EndedTest, AProgramThatCaughtAFailureEndsByAnotherException) {
  JobBuilder job(2);
  job.all([](RankBuilder& rank) {
    const std::uint32_t sum = addSum(rank);
    rank.fail(sum, 0, 20, "Connection closed by peer");
    rank.end(sum, 30);
    rank.raise(40, "ValueError: unsupported object type");
    rank.processEnd().set_exit_code(1);
  });
  const Diagnosis diagnosis = diagnoseJob(job);
  ASSERT_EQ(diagnosis.verdicts.size(), 2U) << textOf(diagnosis);
  EXPECT_EQ(diagnosis.verdicts[0].kind, VerdictKind::kFailed);
  EXPECT_EQ(diagnosis.verdicts[1].kind, VerdictKind::kProcessFailed);
  EXPECT_EQ(diagnosis.verdicts[1].culprit, Confidence::kUndecided);
  EXPECT_THAT(textOf(diagnosis),
              HasSubstr("raised ValueError: unsupported object type"));
  EXPECT_THAT(textOf(diagnosis),
              HasSubstr("caught the failure of all_reduce #1 on \"dp\" and "
                        "continued with all_reduce #2 on \"dp\"."));
}

// Rank 0 joins the third operation 3 s after it timed out on the other ranks,
// which caught the error.
JobBuilder givenUp(bool root_ends) {
  JobBuilder job(3);
  job.all([](RankBuilder& rank) {
    const std::uint32_t sum = addSum(rank);
    rank.end(sum, 0);
    rank.end(sum, 10);
  });
  job.allBut(0, [](RankBuilder& rank) {
    rank.fail(1, 60, 3000, "Timed out waiting 3000ms");
    rank.fail(1, 3061, 1, "Application timeout caused pair closure");
  });
  RankBuilder& root = job.rank(0);
  if (root_ends) root.end(1, 6060);
  if (!root_ends) root.fail(1, 6060, 1, "Connection reset by peer");
  return job;
}

TEST(EndedTest, ARankThatJoinedAfterTheTimeoutIsNamedWithTheFailure) {
  for (const bool root_ends : {true, false}) {
    JobBuilder job = givenUp(root_ends);
    const Diagnosis diagnosis = diagnoseJob(job);
    expectVerdict(diagnosis, VerdictKind::kFailed, {0});
    expectConfidence(diagnosis, Confidence::kCertain, Confidence::kLikely);
    EXPECT_EQ(summaryAt(diagnosis, 0),
              "rank 0 joined all_reduce #3 of \"dp\" 6.00 s late; it had "
              "timed out on ranks 1-2 after 3.00 s.");
    EXPECT_THAT(textOf(diagnosis),
                HasSubstr("Ranks 1-2 caught that failure and made 2 more "
                          "calls, which all failed, too."));
  }
}

TEST(EndedTest, ARankThatJoinedBeforeTheTimeoutIsNotLate) {
  JobBuilder job(3);
  job.all([](RankBuilder& rank) { rank.end(addSum(rank), 0); });
  job.allBut(0, [](RankBuilder& rank) {
    rank.fail(1, 60, 3000, "Timed out waiting 3000ms");
  });
  job.rank(0).fail(1, 2000, 1100, "Connection reset by peer");
  EXPECT_THAT(textOf(diagnoseJob(job)), Not(HasSubstr("had timed out on")));
}

TEST(EndedTest, ARankThatContinuedOrExitedWithZeroDidNotEndByAnException) {
  JobBuilder job(2);
  job.all([](RankBuilder& rank) {
    const std::uint32_t sum = addSum(rank);
    rank.end(sum, 0);
    rank.raise(5, "ValueError: shown by an interactive session");
    rank.end(sum, 10);
  });
  job.rank(1).raise(20, "ValueError: the last one");
  job.rank(1).processEnd().set_exit_code(0);
  const Diagnosis diagnosis = diagnoseJob(job);
  expectHealthy(diagnosis);
  EXPECT_EQ(endOf(diagnosis, 0).exception, "");
}

TEST(EndedTest, AThreadEndsNoProcess) {
  JobBuilder job = agreeing();
  job.rank(1).raise(20, "loader: ValueError: bad", false);
  const Diagnosis diagnosis = diagnoseJob(job);
  expectHealthy(diagnosis);
  EXPECT_EQ(endOf(diagnosis, 1).thread_exception, "loader: ValueError: bad");
}

TEST(EndedTest, AJobOfWhichAllRanksWereKilledIsNotHealthy) {
  JobBuilder job = agreeing();
  job.all([](RankBuilder& rank) { rank.processEnd().set_signal(SIGKILL); });
  Diagnosis diagnosis = diagnoseJob(job, Ending::kRecovered);
  ASSERT_EQ(diagnosis.verdicts.size(), 1U) << textOf(diagnosis);
  EXPECT_EQ(headlineOf(diagnosis.job, diagnosis.verdicts[0]),
            "Ranks 0-2 were killed by SIGKILL. (certain)");
  EXPECT_TRUE(diagnosis.culprits.empty());
  job.rank(1).processEnd().set_signal(SIGTERM);
  diagnosis = diagnoseJob(job, Ending::kRecovered);
  ASSERT_EQ(diagnosis.verdicts.size(), 1U) << textOf(diagnosis);
  EXPECT_EQ(summaryAt(diagnosis, 0),
            "Ranks 0-2 were killed by SIGKILL (ranks 0,2) and SIGTERM "
            "(rank 1).");
  // One of them closed its trace, so it had reached its end.
  job.rank(1).processEnd().clear_signal();
  job.rank(1).processEnd().set_exit_code(0);
  expectHealthy(diagnoseJob(job, Ending::kRecovered));
}

// All ranks agree on two operations and are killed at `at_ms`.
JobBuilder killedAt(std::int64_t at_ms) {
  JobBuilder job = agreeing();
  job.all([&](RankBuilder& rank) {
    rank.processEnd().set_signal(SIGTERM);
    rank.processEnd().set_seen_ns(RankBuilder::ns(at_ms));
  });
  return job;
}

TEST(EndedTest, AKilledJobThatHadBeenSilentIsReportedAsSilent) {
  JobBuilder job = killedAt(23'011);
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kRecovered);
  expectVerdict(diagnosis, VerdictKind::kProcessFailed, {});
  EXPECT_EQ(summaryAt(diagnosis, 0),
            "Ranks 0-2 were killed by SIGTERM; they had called no operation "
            "for at least 23.0 s.");
  EXPECT_THAT(textOf(diagnosis),
              HasSubstr("The longest pause between two operations before was "
                        "9 ms. No record shows whether they computed or hung, "
                        "such as in new_group()."));
}

// Adds an event of new_group() at /job/train.py:7, after two operations.
void addCreation(RankBuilder& rank, std::uint64_t call, v1::FunctionEvent event,
                 std::int64_t at_ms) {
  StreamBuilder& stream = rank.stream();
  const bool begins = event == v1::FUNCTION_EVENT_CREATION_BEGAN;
  std::uint32_t stack = 0;
  if (begins) {
    v1::Stack& made = stream.addStack();
    v1::Frame& frame = *made.add_frame();
    frame.set_file("/job/train.py");
    frame.set_line(7);
    frame.set_function("main");
    made.set_site(1);
    stack = made.id();
  }
  stream.add(FunctionRow{.position = 3,
                         .at_ns = RankBuilder::ns(at_ms),
                         .call = call,
                         .event = static_cast<std::uint32_t>(event),
                         .function = begins ? stream.addText("new_group") : 0,
                         .stack = stack});
}

TEST(EndedTest, ARankKilledWhileItCreatedAGroupWasNotSilent) {
  JobBuilder job = killedAt(23'011);
  job.all([](RankBuilder& rank) {
    addCreation(rank, 1, v1::FUNCTION_EVENT_CREATION_BEGAN, 11);
  });
  // Another thread of rank 1 created a group meanwhile. Rank 2 is silent.
  addCreation(job.rank(1), 2, v1::FUNCTION_EVENT_CREATION_BEGAN, 12);
  addCreation(job.rank(1), 2, v1::FUNCTION_EVENT_CREATION_ENDED, 13);
  addCreation(job.rank(2), 1, v1::FUNCTION_EVENT_CREATION_ENDED, 13);
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kRecovered);
  EXPECT_EQ(summaryAt(diagnosis, 0),
            "Ranks 0-2 were killed by SIGTERM; rank 2 had called no operation "
            "for 23.0 s.");
  EXPECT_THAT(textOf(diagnosis),
              HasSubstr("Ranks 0-1 had been in new_group() for at least 23.0 s "
                        "when they were killed; called at /job/train.py:7 in "
                        "main."));
  EXPECT_THAT(textOf(diagnosis),
              HasSubstr("No record shows whether it computed or hung."));
}

TEST(EndedTest, ACreationWhoseEndMayBeLostIsNotUnderWay) {
  JobBuilder job = killedAt(23'011);
  job.all([](RankBuilder& rank) {
    addCreation(rank, 1, v1::FUNCTION_EVENT_CREATION_BEGAN, 11);
    rank.stream().drop(v1::DROP_REASON_RING_FULL, 1);
  });
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kRecovered);
  EXPECT_FALSE(diagnosis.job.rank(0)->creating);
  EXPECT_EQ(summaryAt(diagnosis, 0), "Ranks 0-2 were killed by SIGTERM.");
}

TEST(EndedTest, OnlyTheSilentRanksOfAKilledJobAreNamed) {
  JobBuilder job = killedAt(23'011);
  RankBuilder& first = job.rank(0);
  first.end(
      first.addCall(v1::OPERATION_BARRIER, first.addGroup("own", 0, 1)).id(),
      23'000);
  EXPECT_EQ(summaryAt(diagnoseJob(job, Ending::kRecovered), 0),
            "Ranks 0-2 were killed by SIGTERM; ranks 1-2 had called no "
            "operation for at least 23.0 s.");
}

TEST(EndedTest, APauseAsLongAsOneBeforeIsNoSilence) {
  JobBuilder job = killedAt(60'000);
  job.all([](RankBuilder& rank) { rank.end(1, 40'000); });
  EXPECT_EQ(summaryAt(diagnoseJob(job, Ending::kRecovered), 0),
            "Ranks 0-2 were killed by SIGTERM.");
}

TEST(EndedTest, WithoutAnyRecordedExitTheCauseIsUnknown) {
  JobBuilder job = agreeing();
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kRecovered);
  EXPECT_TRUE(diagnosis.verdicts.empty()) << textOf(diagnosis);
  EXPECT_THAT(diagnosis.ended_unclosed, ::testing::ElementsAre(0, 1, 2));
  EXPECT_FALSE(diagnosis.healthy());
}

TEST(EndedTest, CrashesAreFailuresAndOtherSignalsAreNot) {
  const auto killed = [](std::uint32_t signal, bool oom) {
    JobBuilder job = agreeing();
    job.all([](RankBuilder& rank) { rank.processEnd().set_signal(SIGTERM); });
    job.rank(1).processEnd().set_signal(0);
    job.rank(1).processEnd().set_exit_code(0);
    job.rank(0).processEnd().set_signal(signal);
    job.rank(0).processEnd().set_oom_killed(oom);
    return diagnoseJob(job, Ending::kRecovered);
  };
  expectHealthy(killed(SIGKILL, false));
  const Diagnosis crashed = killed(SIGSEGV, false);
  expectVerdict(crashed, VerdictKind::kProcessFailed, {0});
  EXPECT_THAT(textOf(crashed), HasSubstr("was killed by SIGSEGV"));
  EXPECT_THAT(textOf(killed(SIGKILL, true)),
              HasSubstr("was killed by SIGKILL: the kernel had run out of"));
}

// Rank 1 sleeps instead of joining the second operation. That operation fails
// on the others when rank 1 ends.
JobBuilder sleeping(std::int64_t end_ms) {
  JobBuilder job(3);
  job.all([](RankBuilder& rank) { rank.end(addSum(rank), 0); });
  job.allBut(1, [&](RankBuilder& rank) {
    rank.fail(1, 10, end_ms, "Connection closed by peer");
    rank.raise(end_ms + 20, "KeyboardInterrupt");
  });
  return job;
}

constexpr char kInterrupt[] =
    "KeyboardInterrupt\n  File \"train.py\", line 22, in load";

TEST(EndedTest, AnInterruptDuringAHangIsAConsequence) {
  JobBuilder job = sleeping(32'000);
  job.rank(1).raise(32'009, kInterrupt);
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kNeverJoined, {1});
  expectConfidence(diagnosis, Confidence::kCertain, Confidence::kLikely);
  EXPECT_EQ(summaryAt(diagnosis, 0),
            "rank 1 had not joined all_reduce #2 of \"dp\" when the job was "
            "interrupted; ranks 0,2 had waited 32.0 s. Rank 1 was at "
            "train.py:22 in load.");
  EXPECT_EQ(endOf(diagnosis, 1).exception, "KeyboardInterrupt");
  EXPECT_THAT(textOf(diagnosis), Not(HasSubstr("its end")));
}

TEST(EndedTest, AnInterruptAtWorkBlamesNobody) {
  JobBuilder job = sleeping(200);
  job.rank(1).raise(150, kInterrupt);
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kLeftEarly, {});
  EXPECT_THAT(textOf(diagnosis), HasSubstr("raised KeyboardInterrupt before"));
}

TEST(EndedTest, ASignalAtWorkIsACauseAndDuringAHangAConsequence) {
  const auto killed = [](std::uint32_t signal, std::int64_t at_ms) {
    JobBuilder job = sleeping(at_ms);
    job.rank(1).processEnd().set_signal(signal);
    job.rank(1).processEnd().set_seen_ns(RankBuilder::ns(at_ms));
    return diagnoseJob(job, Ending::kRecovered);
  };
  EXPECT_THAT(textOf(killed(SIGKILL, 100)),
              HasSubstr("rank 1 was killed by SIGKILL before all_reduce #2"));
  EXPECT_THAT(textOf(killed(SIGTERM, 32'000)),
              HasSubstr("rank 1 never joined all_reduce #2"));
  expectVerdict(killed(SIGABRT, 100), VerdictKind::kLeftEarly, {1});
  const Diagnosis aborted = killed(SIGABRT, 32'000);
  expectVerdict(aborted, VerdictKind::kNeverJoined, {1});
  EXPECT_THAT(textOf(aborted),
              HasSubstr("rank 1 had not joined all_reduce #2 of \"dp\" when it "
                        "was killed by SIGABRT; ranks 0,2 had waited 32.0 s."));
}

// A broadcast can end on the root and on earlier ranks before the others join.
TEST(EndedTest, ALaterOperationOfTheHungGroupCountsAsWaiting) {
  JobBuilder job(3);
  job.all([](RankBuilder& rank) { rank.end(addSum(rank), 0); });
  job.allBut(1, [](RankBuilder& rank) {
    rank.end(rank.addCall(v1::OPERATION_BROADCAST, 1).id(), 10);
    rank.hang(1, 20);
  });
  job.all([](RankBuilder& rank) {
    rank.processEnd().set_signal(SIGABRT);
    rank.processEnd().set_seen_ns(RankBuilder::ns(32'000));
    rank.live(32'000);
  });
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kRecovered);
  expectVerdict(diagnosis, VerdictKind::kNeverJoined, {1});
  EXPECT_THAT(textOf(diagnosis),
              HasSubstr("rank 1 had not joined broadcast #2 of \"dp\" when it "
                        "was killed by SIGABRT"));
}

// Here a message waited, and it failed as rank 1 ended.
TEST(EndedTest, AMessageThatFailedAfterAHangCountsAsWaiting) {
  JobBuilder job(3);
  job.all([](RankBuilder& rank) { rank.end(addSum(rank), 0); });
  job.allBut(1, [](RankBuilder& rank) {
    rank.end(rank.addCall(v1::OPERATION_BROADCAST, 1).id(), 10);
  });
  job.rank(0).fail(job.rank(0).addMessage(false, 1, 1).id(), 20, 31'980,
                   "Connection closed by peer");
  job.rank(0).raise(32'020, "KeyboardInterrupt");
  job.rank(1).raise(32'009, kInterrupt);
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kNeverJoined, {1});
  EXPECT_THAT(textOf(diagnosis),
              HasSubstr("rank 1 had not joined broadcast #2 of \"dp\" when the "
                        "job was interrupted"));
}

// Rank 0 left no trace, and rank 1 waited for it when it was aborted.
TEST(EndedTest, AnAbortOfAnUnexplainedHangBlamesNobody) {
  const auto aborted = [](std::int64_t at_ms) {
    JobBuilder job(2);
    RankBuilder& rank = job.rank(1);
    rank.hang(addSum(rank), 0);
    rank.processEnd().set_signal(SIGABRT);
    rank.processEnd().set_seen_ns(RankBuilder::ns(at_ms));
    return diagnoseJob(job, Ending::kRecovered, {0});
  };
  EXPECT_EQ(aborted(32'000).culprits, Ranks{});
  EXPECT_THAT(textOf(aborted(32'000)),
              HasSubstr("Rank 1 had been in all_reduce #1 on \"dp\" for 32.0 s "
                        "by then."));
  EXPECT_EQ(aborted(200).culprits, Ranks{1});
}

TEST(EndedTest, ASignalThatFollowsATimeoutIsNoCause) {
  JobBuilder job(3);
  job.all([](RankBuilder& rank) { rank.end(addSum(rank), 0); });
  job.allBut(1, [](RankBuilder& rank) {
    rank.fail(1, 10, 3000, "Timed out waiting 3000ms");
  });
  job.rank(1).processEnd().set_signal(SIGTERM);
  job.rank(1).processEnd().set_seen_ns(RankBuilder::ns(3200));
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kRecovered);
  expectVerdict(diagnosis, VerdictKind::kNeverJoined, {1});
  EXPECT_THAT(textOf(diagnosis),
              HasSubstr("rank 1 never joined all_reduce #2"));
}

TEST(EndedTest, ARankKilledDuringAHangDidNotCauseIt) {
  const auto killed = [](std::int64_t at_ms) {
    JobBuilder job(3);
    job.all([](RankBuilder& rank) { rank.end(addSum(rank), 0); });
    job.allBut(1, [&](RankBuilder& rank) { rank.fail(1, 10, at_ms, "reset"); });
    job.rank(1).hang(1, 10);
    job.rank(1).processEnd().set_signal(SIGTERM);
    job.rank(1).processEnd().set_seen_ns(RankBuilder::ns(at_ms));
    return diagnoseJob(job, Ending::kRecovered);
  };
  EXPECT_THAT(textOf(killed(100)),
              HasSubstr("rank 1 was killed by SIGTERM inside"));
  const Diagnosis hung = killed(32'000);
  ASSERT_EQ(hung.verdicts.size(), 1U);
  EXPECT_EQ(hung.verdicts[0].kind, VerdictKind::kHungIn) << textOf(hung);
}

TEST(EndedTest, AnAbortAfterAMismatchIsNoSeparateFinding) {
  JobBuilder job(2);
  job.all([](RankBuilder& rank) { addSum(rank); });
  job.rank(0).addCall(v1::OPERATION_ALL_REDUCE, 1, 64);
  job.rank(1).addCall(v1::OPERATION_ALL_REDUCE, 1, 128);
  job.rank(0).fail(1, 0, 50, "reset");
  job.rank(1).hang(1, 0);
  job.all([](RankBuilder& rank) { rank.hang(2, 1); });
  job.rank(1).processEnd().set_signal(SIGABRT);
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kRecovered);
  expectVerdict(diagnosis, VerdictKind::kSizeMismatch, {0, 1});
}

TEST(EndedTest, SignalsHaveTheNamesThatTheSystemGivesThem) {
  for (int signal = 1; signal < 32; ++signal) {
    EXPECT_EQ(signalName(signal), std::string("SIG") + sigabbrev_np(signal));
  }
  EXPECT_EQ(signalName(0), "signal 0");
  EXPECT_EQ(signalName(32), "signal 32");
  EXPECT_EQ(signalName(64), "signal 64");
  EXPECT_EQ(signalName(4'000'000'000U), "signal 4000000000");
}

TEST(EndedTest, LaterChunksAddMissingFieldsOfTheProcessEnd) {
  StreamBuilder stream(0);
  stream.payload().mutable_process_end()->set_exit_code(1);
  std::string trace = stream.takeChunk();
  stream.payload().mutable_process_end()->set_exit_code(2);
  stream.payload().mutable_process_end()->set_exception("ValueError: x");
  trace += stream.takeChunk(true);
  const TempDir dir;
  writeFile(dir.path() + "/rank-0.traced", trace);
  const std::vector<std::string> paths = {dir.path()};
  const Result<TraceSet> set = openTraceSet(paths);
  ASSERT_TRUE(set);
  const Diagnosis diagnosis = diagnose(*set, {});
  EXPECT_EQ(endOf(diagnosis, 0).exit_code, 1U);
  EXPECT_EQ(endText(endOf(diagnosis, 0)), "raised ValueError: x");
}

}  // namespace
}  // namespace traced::testing
