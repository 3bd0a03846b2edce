// Tests hung jobs: which rank is absent, and which ranks wait for which.

#include <gtest/gtest.h>

#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

constexpr std::int64_t kHang = 60'000;

// Adds five operations that all end.
std::uint32_t addHistory(RankBuilder& rank) {
  const std::uint32_t call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
  for (int i = 0; i < 5; ++i) rank.end(call, 10 * i);
  return call;
}

TEST(StuckGroupsTest, AHealthyJobHasNoVerdict) {
  JobBuilder job(4);
  job.all([](RankBuilder& rank) { addHistory(rank); });
  expectHealthy(diagnoseJob(job));
}

TEST(StuckGroupsTest, AJobKilledAtWorkHasNoVerdict) {
  for (const Ending ending : {Ending::kRecovered, Ending::kCut}) {
    JobBuilder job(4);
    for (std::uint32_t r = 0; r < 4; ++r) {
      const std::uint32_t call = addHistory(job.rank(r));
      if (r != 2) job.rank(r).hang(call, 60);
    }
    const Diagnosis diagnosis = diagnoseJob(job, ending);
    expectHealthy(diagnosis);
    EXPECT_EQ(diagnosis.under_way, 3U);
  }
}

// It hung and recorded nothing until it was killed.
TEST(StuckGroupsTest, AHangLastsAsLongAsItsProcessesLived) {
  for (const Ending ending : {Ending::kRecovered, Ending::kClosed}) {
    JobBuilder job(4);
    for (std::uint32_t r = 0; r < 4; ++r) {
      const std::uint32_t call = addHistory(job.rank(r));
      if (r != 2) job.rank(r).hang(call, 60);
      job.rank(r).idleUntil(60 + 82'000);
    }
    const Diagnosis diagnosis = diagnoseJob(job, ending);
    expectVerdict(diagnosis, VerdictKind::kNeverJoined, {2});
    expectConfidence(diagnosis, Confidence::kCertain, Confidence::kLikely);
    EXPECT_EQ(diagnosis.verdicts[0].waited_ns.value_or(0) / 1'000'000'000, 82);
    EXPECT_NE(textOf(diagnosis).find("ranks 0-1,3 wait for it, for 82.0 s"),
              std::string::npos)
        << textOf(diagnosis);
  }
}

// The ranks in the operation were killed at once; another rank lived on.
TEST(StuckGroupsTest, AKilledRankWaitedOnlyUntilItsDeath) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    const std::uint32_t call = addHistory(job.rank(r));
    if (r != 2) job.rank(r).hang(call, 60);
    job.rank(r).idleUntil(r == 2 ? 60'000 : 500);
  }
  expectHealthy(diagnoseJob(job, Ending::kRecovered));
}

// Rank 1 recorded two operations of a group and left out the rest; the others
// recorded more of it.
TEST(StuckGroupsTest, AGroupWithUnrecordedOperationsIsNotJudged) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    addHistory(rank);
    const std::uint32_t group = rank.addGroup("tp", 0, 4);
    const std::uint32_t call =
        rank.addCall(v1::OPERATION_ALL_REDUCE, group).id();
    const bool leaves_out = r == 1;
    for (int i = 0; i < (leaves_out ? 2 : 5); ++i) rank.end(call, 100 + i);
    if (leaves_out) {
      v1::Payload& payload = rank.stream().payload();
      payload.mutable_group(static_cast<int>(group) - 1)->set_left_out(true);
      payload.mutable_accounts()->set_left_out(3);
    }
  }
  expectHealthy(diagnoseJob(job));
}

TEST(StuckGroupsTest, AnAbsentRankMayBeInAnUnrecordedOperation) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    const std::uint32_t call = addHistory(job.rank(r));
    if (r != 2) job.rank(r).hang(call, 60);
    job.rank(r).live(kHang);
    job.rank(r).stream().payload().mutable_accounts()->set_left_out(9);
  }
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kCut);
  expectVerdict(diagnosis, VerdictKind::kNeverJoined, {});
  EXPECT_EQ(diagnosis.verdicts[0].ranks, Ranks{2});
  EXPECT_NE(textOf(diagnosis).find("Rank 2 is in no recorded operation"),
            std::string::npos)
      << textOf(diagnosis);
  EXPECT_EQ(diagnosis.rules_left_out, std::vector<std::string>{"stragglers"});
}

TEST(StuckGroupsTest, NamesTheRankThatNeverJoins) {
  for (std::uint32_t culprit = 0; culprit < 4; ++culprit) {
    JobBuilder job(4);
    for (std::uint32_t r = 0; r < 4; ++r) {
      const std::uint32_t call = addHistory(job.rank(r));
      if (r != culprit) job.rank(r).hang(call, 60);
      job.rank(r).live(kHang);
    }
    const Diagnosis diagnosis = diagnoseJob(job, Ending::kCut);
    expectVerdict(diagnosis, VerdictKind::kNeverJoined, {culprit});
    EXPECT_EQ(diagnosis.verdicts[0].seq, 6U);
    expectConfidence(diagnosis, Confidence::kCertain, Confidence::kLikely);
  }
}

TEST(StuckGroupsTest, ReportsThatTheAbsentRankCreatesAGroup) {
  for (const bool has_ended : {false, true}) {
    JobBuilder job(4);
    for (std::uint32_t r = 0; r < 4; ++r) {
      const std::uint32_t call = addHistory(job.rank(r));
      job.rank(r).live(kHang);
      if (r != 2) {
        job.rank(r).hang(call, 60);
        continue;
      }
      StreamBuilder& stream = job.rank(r).stream();
      FunctionRow row{
          .position = 1'000'000,
          .at_ns = StreamBuilder::kIssueNs + (kHang - 31'000) * 1'000'000,
          .call = 1,
          .event = v1::FUNCTION_EVENT_CREATION_BEGAN,
          .function = stream.addText("new_group")};
      stream.add(row);
      if (!has_ended) continue;
      row.event = v1::FUNCTION_EVENT_CREATION_ENDED;
      stream.add(row);
    }
    const Diagnosis diagnosis = diagnoseJob(job, Ending::kRecovered);
    expectVerdict(diagnosis, VerdictKind::kNeverJoined, {2});
    const bool is_named = textOf(diagnosis).find(
                              ", and it is in new_group() for 31.0 s; its "
                              "process") != std::string::npos;
    EXPECT_EQ(is_named, !has_ended) << textOf(diagnosis);
  }
}

// A job of synchronous calls on an unknown engine. Rank 2 does not make the
// last call, for which the others wait.
Diagnosis diagnoseUnknownEngine(const char* foreign, bool gives_works) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    v1::Group& group = *rank.stream().payload().mutable_group(0);
    if (*foreign == 0) group.set_backend("ucc");
    group.set_backend_class(foreign);
    v1::Call& call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1);
    call.set_async(false);
    for (int i = 0; i < 5; ++i) {
      gives_works ? rank.end(call.id(), 10 * i) : rank.hang(call.id(), 10 * i);
    }
    if (r != 2) rank.hang(call.id(), 60);
    rank.live(kHang);
  }
  return diagnoseJob(job, Ending::kCut);
}

// Whether any rank waits there is unknown.
TEST(StuckGroupsTest, AnEngineWithoutWorksReportsNoHang) {
  expectHealthy(diagnoseUnknownEngine("", false));
}

// The engine's blocking behaviour is unknown.
TEST(StuckGroupsTest, AnUnknownEngineGivesNoCertainty) {
  for (const char* foreign : {"", "acme::Backend"}) {
    SCOPED_TRACE(foreign);
    const Diagnosis diagnosis = diagnoseUnknownEngine(foreign, true);
    expectVerdict(diagnosis, VerdictKind::kNeverJoined, {2});
    expectConfidence(diagnosis, Confidence::kLikely, Confidence::kLikely);
    EXPECT_NE(textOf(diagnosis).find("c10d's rules are assumed"),
              std::string::npos)
        << textOf(diagnosis);
  }
}

// Adds two batches of two collectives each, on a backend that reports ends. The
// second batch ends if `ended`.
void addBatches(RankBuilder& rank, bool ended) {
  StreamBuilder& stream = rank.stream();
  stream.payload().mutable_group(0)->set_backend("nccl");
  const std::uint32_t call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
  const std::uint32_t batch = rank.addCall(v1::OPERATION_COALESCED, 1, 0).id();
  const auto add = [&](std::uint64_t id, std::uint32_t what,
                       std::uint64_t seq) {
    const std::int64_t ns = RankBuilder::ns(static_cast<std::int64_t>(id));
    stream.add(IssueRow{
        .op = id, .issue_ns = ns, .call = what, .seq = seq, .batch = id / 10});
    stream.add(ReturnRow{.op = id, .return_ns = ns + 1000});
  };
  const auto end = [&](std::uint64_t id) {
    stream.add(
        DoneRow{.op = id,
                .end_ns = RankBuilder::ns(static_cast<std::int64_t>(id) + 5),
                .source = v1::END_SOURCE_COMPLETION_HOOK});
  };
  add(100, call, 1);
  add(101, call, 2);
  add(102, batch, 0);
  end(102);
  add(110, call, 3);
  add(111, call, 4);
  add(112, batch, 0);
  if (ended) end(112);
  stream.addStep(1000, RankBuilder::ns(kHang), 0);
}

TEST(StuckGroupsTest, TheMembersOfABatchEndWithIt) {
  JobBuilder job(2);
  job.all([](RankBuilder& rank) { addBatches(rank, true); });
  expectHealthy(diagnoseJob(job, Ending::kCut));
}

TEST(StuckGroupsTest, TheMembersOfABatchHangWithIt) {
  JobBuilder job(2);
  job.all([](RankBuilder& rank) { addBatches(rank, false); });
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kCut);
  expectVerdict(diagnosis, VerdictKind::kHungIn, {0, 1});
  EXPECT_EQ(diagnosis.verdicts[0].seq, 3U);
}

TEST(StuckGroupsTest, IsLessSureOfARankWhoseTraceStops) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    const std::uint32_t call = addHistory(job.rank(r));
    if (r == 1) continue;
    job.rank(r).hang(call, 60);
    job.rank(r).live(kHang);
  }
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kCut);
  expectVerdict(diagnosis, VerdictKind::kNeverJoined, {1});
  expectConfidence(diagnosis, Confidence::kLikely, Confidence::kLikely);
}

// It recorded something while they waited, but their wait is too short for a
// hang.
TEST(StuckGroupsTest, IsLessSureOfARankThatMayStillJoin) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    const std::uint32_t call = addHistory(job.rank(r));
    if (r != 1) job.rank(r).hang(call, 60);
    job.rank(r).live(r == 1 ? 3'000 : kHang);
  }
  expectConfidence(diagnoseJob(job, Ending::kCut), Confidence::kLikely,
                   Confidence::kLikely);
}

// Ranks 0 and 1 are on one host, the others on another. Rank 3 never joins.
Diagnosis hangsOnTwoHosts(bool neighbour_joins) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    job.rank(r).stream().header().set_boot_id(r < 2 ? "near" : "far");
    const std::uint32_t call = addHistory(job.rank(r));
    if (r < 2 || (r == 2 && neighbour_joins)) job.rank(r).hang(call, 60);
    job.rank(r).live(kHang);
  }
  return diagnoseJob(job, Ending::kCut);
}

TEST(StuckGroupsTest, OnSeveralHostsARankOfTheSameHostIsTheWitness) {
  const Diagnosis seen = hangsOnTwoHosts(true);
  expectVerdict(seen, VerdictKind::kNeverJoined, {3});
  expectConfidence(seen, Confidence::kCertain, Confidence::kLikely);
  expectConfidence(hangsOnTwoHosts(false), Confidence::kLikely,
                   Confidence::kLikely);
}

TEST(StuckGroupsTest, ReportsAProcessThatEnded) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    const std::uint32_t call = addHistory(job.rank(r));
    if (r != 3) job.rank(r).fail(call, 60, 5000, "Connection closed by peer");
  }
  expectVerdict(diagnoseJob(job), VerdictKind::kLeftEarly, {3});
}

TEST(StuckGroupsTest, ReportsTwoOfManyErrors) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    const std::uint32_t call = addHistory(job.rank(r));
    const std::string error = "Peer " + std::to_string(r) + " is gone";
    if (r != 3) job.rank(r).fail(call, 60, 5000, error);
  }
  const std::string text = textOf(diagnoseJob(job));
  EXPECT_NE(text.find("It failed on rank 0: Peer 0"), std::string::npos);
  EXPECT_NE(text.find("It failed on rank 1: Peer 1"), std::string::npos);
  EXPECT_EQ(text.find("Peer 2"), std::string::npos) << text;
}

// Its shutdown took most of the time that the others waited.
TEST(StuckGroupsTest, ASlowShutdownLeftFirstIfTheOthersFailedAfterIt) {
  for (const bool before : {true, false}) {
    JobBuilder job(4);
    for (std::uint32_t r = 0; r < 4; ++r) {
      const std::uint32_t call = addHistory(job.rank(r));
      if (r != 3) job.rank(r).fail(call, 60, 300, "Connection closed by peer");
    }
    job.rank(3).idleUntil(before ? 60 + 270 : 60 + 330);
    expectVerdict(diagnoseJob(job),
                  before ? VerdictKind::kLeftEarly : VerdictKind::kNeverJoined,
                  {3});
  }
}

JobBuilder jobThatFailsAroundRank0() {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    const std::uint32_t call = addHistory(job.rank(r));
    if (r == 0) {
      job.rank(r).hang(call, 60);
    } else {
      job.rank(r).fail(call, 60, 500, "Connection closed by peer");
    }
  }
  return job;
}

TEST(StuckGroupsTest, ReportsAProcessThatWasKilledInAnOperation) {
  JobBuilder job = jobThatFailsAroundRank0();
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kRecovered);
  expectVerdict(diagnosis, VerdictKind::kLeftEarly, {0});
  // It may have been killed because the others had failed.
  expectConfidence(diagnosis, Confidence::kLikely, Confidence::kLikely);
}

TEST(StuckGroupsTest, WithAMissingFileTheFirstFailureIsUnknown) {
  JobBuilder job = jobThatFailsAroundRank0();
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kRecovered, {3});
  expectVerdict(diagnosis, VerdictKind::kUndecided, {});
  EXPECT_NE(textOf(diagnosis).find("the traces do not show why"),
            std::string::npos);
  EXPECT_EQ(phrases(diagnosis.job, diagnosis.verdicts[0].advice),
            std::vector<std::string>{"to decide: the files of rank 3"});
}

// Rank 0 is in a collective, and rank 1 waits for a message from rank 2.
TEST(StuckGroupsTest, ARankWaitingForAnAbsentRankIsNotBlamed) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t call = addHistory(rank);
    rank.hang(r == 1 ? rank.addMessage(false, 1, 2).id() : call, 60);
    rank.live(kHang);
  }
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kCut, {2});
  ASSERT_FALSE(diagnosis.verdicts.empty());
  EXPECT_EQ(diagnosis.verdicts[0].kind, VerdictKind::kUndecided)
      << textOf(diagnosis);
  EXPECT_EQ(diagnosis.culprits, Ranks{}) << textOf(diagnosis);
}

// Rank 1 ends after a message from rank 2 failed, and then the others fail.
TEST(StuckGroupsTest, ARankThatFailedWithAnAbsentRankIsNotBlamed) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t call = addHistory(rank);
    const std::uint32_t last =
        r == 1 ? rank.addMessage(false, 1, 2).id() : call;
    rank.fail(last, 60, r == 1 ? 100 : 500, "Connection closed by peer");
  }
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kClosed, {2});
  ASSERT_FALSE(diagnosis.verdicts.empty());
  EXPECT_EQ(diagnosis.verdicts[0].kind, VerdictKind::kUndecided)
      << textOf(diagnosis);
  EXPECT_EQ(diagnosis.culprits, Ranks{}) << textOf(diagnosis);
}

TEST(StuckGroupsTest, ReportsAnExtraCallFromOneLeftOut) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    const std::uint32_t call = addHistory(job.rank(r));
    if (r == 2) job.rank(r).fail(call, 60, 5000, "Timed out");
  }
  expectVerdict(diagnoseJob(job), VerdictKind::kNeverJoined, {2});
}

TEST(StuckGroupsTest, NamesTheEndedOneOfTwoRanksAsLikely) {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    const std::uint32_t call = addHistory(job.rank(r));
    if (r == 0) job.rank(r).fail(call, 60, 5000, "Timed out");
  }
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kLeftEarly, {1});
  EXPECT_NE(textOf(diagnosis).find("cannot outvote"), std::string::npos);
}

TEST(StuckGroupsTest, AFullyJoinedOperationThatNeverEndsHangs) {
  JobBuilder job(4);
  job.all([](RankBuilder& rank) {
    rank.hang(addHistory(rank), 60);
    rank.live(kHang);
  });
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kCut);
  expectVerdict(diagnosis, VerdictKind::kHungIn, {0, 1, 2, 3});
  expectConfidence(diagnosis, Confidence::kCertain, Confidence::kUndecided);
}

// The fate of one of them is unknown: it may have continued.
TEST(StuckGroupsTest, IsLessSureOfAHangOfARankWhoseTraceStops) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    job.rank(r).hang(addHistory(job.rank(r)), 60);
    if (r != 2) job.rank(r).live(kHang);
  }
  expectConfidence(diagnoseJob(job, Ending::kCut), Confidence::kLikely,
                   Confidence::kUndecided);
}

// A rank without a file may have called something else.
TEST(StuckGroupsTest, WithAMissingFileUnendedRanksAreUndecided) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t call = addHistory(rank);
    if (r == 0) {
      rank.end(call, 60);
    } else {
      rank.hang(call, 60);
    }
    rank.live(kHang);
  }
  expectVerdict(diagnoseJob(job, Ending::kCut, {1}), VerdictKind::kUndecided,
                {});
}

TEST(StuckGroupsTest, AnUnobservableEndIsNoHang) {
  JobBuilder job(2);
  job.all([](RankBuilder& rank) {
    addHistory(rank);
    v1::Call& call = rank.addCall(v1::OPERATION_REDUCE_SCATTER_TENSOR, 1);
    call.set_async(true);
    const std::uint64_t id = rank.hang(call.id(), 60);
    rank.stream().add(ReleaseRow{.op = id, .release_ns = RankBuilder::ns(61)});
    rank.live(kHang);
  });
  for (const JobVerdict& verdict : diagnoseJob(job, Ending::kCut).verdicts) {
    EXPECT_NE(verdict.kind, VerdictKind::kHungIn);
  }
}

TEST(StuckGroupsTest, AMissingFileDecidesNothing) {
  JobBuilder job(4);
  job.all([](RankBuilder& rank) {
    rank.hang(addHistory(rank), 60);
    rank.live(kHang);
  });
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kCut, {3});
  ASSERT_EQ(diagnosis.verdicts.size(), 1U);
  EXPECT_EQ(diagnosis.verdicts[0].kind, VerdictKind::kUndecided);
  EXPECT_EQ(diagnosis.verdicts[0].ranks, Ranks{3});
  EXPECT_TRUE(diagnosis.culprits.empty());
}

TEST(StuckGroupsTest, AMissingFileOfAnotherRankKeepsTheVerdict) {
  for (std::uint32_t lost = 0; lost < 4; ++lost) {
    JobBuilder job(4);
    for (std::uint32_t r = 0; r < 4; ++r) {
      const std::uint32_t call = addHistory(job.rank(r));
      if (r != 1) job.rank(r).hang(call, 60);
      job.rank(r).live(kHang);
    }
    const Diagnosis diagnosis = diagnoseJob(job, Ending::kCut, {lost});
    if (lost == 1) {
      ASSERT_EQ(diagnosis.verdicts.size(), 1U);
      EXPECT_EQ(diagnosis.verdicts[0].kind, VerdictKind::kUndecided);
    } else {
      expectVerdict(diagnosis, VerdictKind::kNeverJoined, {1});
    }
  }
}

TEST(StuckGroupsTest, ARankThatLostRecordsIsNotBlamed) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    const std::uint32_t call = addHistory(job.rank(r));
    if (r == 1) {
      job.rank(r).stream().drop(v1::DROP_REASON_RING_FULL, 41);
    } else {
      job.rank(r).hang(call, 60);
    }
    job.rank(r).live(kHang);
  }
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kCut);
  ASSERT_EQ(diagnosis.verdicts.size(), 1U);
  EXPECT_EQ(diagnosis.verdicts[0].kind, VerdictKind::kUndecided);
  EXPECT_NE(textOf(diagnosis).find("41 records"), std::string::npos)
      << textOf(diagnosis);
}

TEST(StuckGroupsTest, SequencesAlignWithoutTheirBeginnings) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t a = rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
    const std::uint32_t b = rank.addCall(v1::OPERATION_BARRIER, 1, 0).id();
    for (std::uint32_t i = 0; i < 10; ++i) {
      const std::uint32_t call = i % 2 == 0 ? a : b;
      if (i < 2 * r) {
        rank.lose(call);
      } else {
        rank.end(call, 10 * i);
      }
    }
    if (r > 0) rank.stream().drop(v1::DROP_REASON_RETENTION, 2 * r);
  }
  expectHealthy(diagnoseJob(job));
}

TEST(StuckGroupsTest, ACycleAcrossGroupsIsADeadlock) {
  for (std::uint32_t culprit = 0; culprit < 4; ++culprit) {
    JobBuilder job(4);
    for (std::uint32_t r = 0; r < 4; ++r) {
      RankBuilder& rank = job.rank(r);
      const std::uint32_t dp = addHistory(rank);
      const std::uint32_t ema =
          rank.addCall(v1::OPERATION_BROADCAST, rank.addGroup("ema", 0, 4))
              .id();
      rank.end(ema, 55);
      rank.hang(r == culprit ? ema : dp, 60);
      rank.live(kHang);
    }
    const Diagnosis diagnosis = diagnoseJob(job, Ending::kCut);
    expectVerdict(diagnosis, VerdictKind::kDeadlock, {culprit});
    EXPECT_EQ(diagnosis.verdicts[0].ranks, (Ranks{0, 1, 2, 3}));
  }
}

// Each of two ranks is in an all_reduce that the other has not joined.
Diagnosis diagnoseCycle(bool async, const char* second_engine = "gloo") {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    RankBuilder& rank = job.rank(r);
    const auto addCall = [&](std::uint32_t group) {
      v1::Call& call = rank.addCall(v1::OPERATION_ALL_REDUCE, group);
      call.set_async(async);
      return call.id();
    };
    const std::uint32_t dp = addCall(1);
    const std::uint32_t ema = addCall(rank.addGroup("ema", 0, 2));
    rank.stream().payload().mutable_group(1)->set_backend(second_engine);
    // The trace must show an operation to wait for.
    if (second_engine != std::string("gloo")) rank.end(ema, 50);
    rank.hang(r == 0 ? dp : ema, 60);
    rank.live(kHang);
  }
  return diagnoseJob(job, Ending::kCut);
}

TEST(StuckGroupsTest, TwoThatWaitForEachOtherAreADeadlockForCertain) {
  const Diagnosis diagnosis = diagnoseCycle(false);
  expectVerdict(diagnosis, VerdictKind::kDeadlock, {0, 1});
  expectConfidence(diagnosis, Confidence::kCertain, Confidence::kUndecided);
}

TEST(StuckGroupsTest, AnUnknownEngineInACycleMayLetARankContinue) {
  const Diagnosis diagnosis = diagnoseCycle(false, "ucc");
  expectVerdict(diagnosis, VerdictKind::kDeadlock, {0, 1});
  expectConfidence(diagnosis, Confidence::kLikely, Confidence::kUndecided);
}

TEST(StuckGroupsTest, ARankWithAnAsynchronousOperationMayStillJoinTheOther) {
  const Diagnosis diagnosis = diagnoseCycle(true);
  expectVerdict(diagnosis, VerdictKind::kDeadlock, {0, 1});
  expectConfidence(diagnosis, Confidence::kLikely, Confidence::kUndecided);
}

// Rank 1 makes no call: one rank waits for it in a collective, one for a
// message.
TEST(StuckGroupsTest, AnAbsentRankOfACollectiveIsNoSecondMessageFinding) {
  JobBuilder job(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    RankBuilder& rank = job.rank(r);
    if (r < 2) {
      const std::uint32_t call =
          rank.addCall(v1::OPERATION_ALL_REDUCE, rank.addGroup("tp", 0, 2))
              .id();
      for (int i = 0; i < 5; ++i) rank.end(call, 10 * i);
      if (r == 0) rank.hang(call, 60);
    } else {
      rank.hang(rank.addMessage(false, 1, 1).id(), 60);
    }
    rank.live(kHang);
  }
  expectVerdict(diagnoseJob(job, Ending::kCut), VerdictKind::kNeverJoined, {1});
}

TEST(StuckGroupsTest, OnlyTheEndOfAChainIsNamed) {
  // Rank 3 is idle, rank 2 waits for it in "b", ranks 0 and 1 for rank 2, as
  // they do in every step.
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    addHistory(rank);
    const auto call = [&](const char* name, std::uint32_t first,
                          std::uint32_t count) {
      return rank
          .addCall(v1::OPERATION_ALL_REDUCE, rank.addGroup(name, first, count))
          .id();
    };
    const std::uint32_t a = r < 3 ? call("a", 0, 3) : 0;
    const std::uint32_t b = r > 1 ? call("b", 2, 2) : 0;
    for (int i = 0; i < 5; ++i) {
      if (b != 0) rank.end(b, 50 + 2 * i);
      if (a != 0) rank.end(a, 51 + 2 * i);
    }
    if (r < 3) rank.hang(r == 2 ? b : a, 60);
    rank.live(kHang);
  }
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kCut);
  expectVerdict(diagnosis, VerdictKind::kNeverJoined, {3});
  EXPECT_NE(textOf(diagnosis).find("only waits for that"), std::string::npos);
}

TEST(StuckGroupsTest, AFailureOfOneRankBlamesThatRank) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    const std::uint32_t call = addHistory(job.rank(r));
    if (r == 2) {
      job.rank(r).fail(call, 60, 10, "out of memory");
    } else {
      job.rank(r).end(call, 60);
    }
  }
  expectVerdict(diagnoseJob(job), VerdictKind::kFailed, {2});
}

}  // namespace
}  // namespace traced::testing
