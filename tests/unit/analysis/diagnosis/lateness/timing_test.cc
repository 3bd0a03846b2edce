// Tests late ranks, and ranks that only seem late.

#include <gtest/gtest.h>

#include <functional>

#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

// Runs all_reduces. `late_ms(rank, i)`: how long after the others a rank joins
// its i-th of `times` all_reduces, which are `apart_ms` apart. `ahead_ms`: how
// far the clock of the upper two ranks is ahead; 0: all ranks share a clock.
Diagnosis run(const std::function<std::int64_t(std::uint32_t, int)>& late_ms,
              const std::set<std::uint32_t>& without = {}, int times = 60,
              int apart_ms = 50, std::int64_t ahead_ms = 0,
              bool async = false) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    const bool ahead = ahead_ms > 0 && r >= 2;
    if (ahead) rank.stream().header().set_boot_id("another");
    v1::Call& all_reduce = rank.addCall(v1::OPERATION_ALL_REDUCE, 1);
    all_reduce.set_in_place(true);
    all_reduce.set_async(async);
    const std::uint32_t call = all_reduce.id();
    std::int64_t delayed_ms = 0;
    for (int i = 0; i < times; ++i) {
      std::int64_t most_ms = 0;
      for (std::uint32_t other = 0; other < 4; ++other) {
        most_ms = std::max(most_ms, late_ms(other, i));
      }
      const std::int64_t due_ms =
          apart_ms * i + delayed_ms + (ahead ? ahead_ms : 0);
      const std::int64_t late = late_ms(r, i);
      const std::int64_t took_ms = most_ms - late + 2;
      const std::uint64_t id = rank.end(call, due_ms + late, took_ms);
      if (async) {
        rank.stream().add(
            DoneRow{.op = id,
                    .end_ns = RankBuilder::ns(due_ms + late + took_ms),
                    .source = v1::END_SOURCE_FUTURE});
      }
      delayed_ms += most_ms;
    }
  }
  return diagnoseJob(job, Ending::kClosed, without);
}

TEST(TimingTest, MissingTracesLowerTheConfidence) {
  const auto late = [](std::uint32_t rank, int) { return rank == 1 ? 20 : 0; };
  const Diagnosis diagnosis = run(late, {3});
  expectVerdict(diagnosis, VerdictKind::kStraggler, {1});
  expectConfidence(diagnosis, Confidence::kLikely, Confidence::kLikely);
  EXPECT_FALSE(diagnosis.verdicts.front().saves) << "the run is not complete";
  expectHealthy(run(late, {2, 3}));
}

// A rank behind the others with a trace is not to blame if the end shows that a
// rank without a trace was later still.
TEST(TimingTest, ARankWithoutATraceMayBeEvenLater) {
  const auto behind = [](int absent_ms) {
    return run(
        [=](std::uint32_t rank, int) {
          if (rank == 3) return absent_ms;
          return rank == 1 ? 20 : 0;
        },
        {3});
  };
  expectVerdict(behind(10), VerdictKind::kStraggler, {1});
  expectHealthy(behind(45));
}

TEST(TimingTest, ASingleDelayNeedsTheTraceOfTheLastRank) {
  const auto late = [](std::uint32_t rank, int i) {
    if (i != 30 || rank == 0 || rank == 2) return 0;
    return rank == 1 ? 2000 : 6000;
  };
  expectVerdict(run(late, {1}), VerdictKind::kLate, {3});
  expectHealthy(run(late, {3}));
}

TEST(TimingTest, ARankThatIsAlwaysLastIsAStraggler) {
  for (std::uint32_t culprit = 0; culprit < 4; ++culprit) {
    expectVerdict(
        run([=](std::uint32_t rank, int) { return rank == culprit ? 20 : 0; }),
        VerdictKind::kStraggler, {culprit});
  }
}

// The wait of a call that returns at once is recorded too.
TEST(TimingTest, ARankWithAsynchronousCallsCanBeAStraggler) {
  const auto late = [](std::uint32_t rank, int) { return rank == 1 ? 20 : 0; };
  const Diagnosis diagnosis = run(late, {}, 60, 50, 0, true);
  expectVerdict(diagnosis, VerdictKind::kStraggler, {1});
  EXPECT_EQ(summaryAt(diagnosis, 0),
            "Rank 1 keeps the others of \"dp\" waiting.");
}

TEST(TimingTest, ARankThatBecomesSlowIsAStraggler) {
  expectVerdict(run([](std::uint32_t rank, int i) {
                  return rank == 2 && i >= 40 ? 20 : 0;
                }),
                VerdictKind::kStraggler, {2});
}

TEST(TimingTest, RanksThatAreLateInTurnAreNoStragglers) {
  expectHealthy(run([](std::uint32_t rank, int i) {
    return rank == static_cast<std::uint32_t>(i) % 4 ? 20 : 0;
  }));
}

// It is no longer late, though it was for nine tenths of the time.
TEST(TimingTest, ARankThatHasCaughtUpIsNoStraggler) {
  const auto until = [](int last) {
    return run([=](std::uint32_t rank,
                   int i) { return rank == (i < last ? 1U : 3U) ? 20 : 0; },
               {}, 80);
  };
  expectVerdict(until(76), VerdictKind::kStraggler, {1});
  expectHealthy(until(73));
}

// Its own lateness counts, not only the times when it is the last.
TEST(TimingTest, ARankThatIsNotAlwaysLastCanBeAStraggler) {
  expectVerdict(run([](std::uint32_t rank, int i) {
                  if (rank == 2) return 20;
                  return rank == 1 && i % 3 == 0 ? 23 : 0;
                }),
                VerdictKind::kStraggler, {2});
}

TEST(TimingTest, ASlightDelayIsNoFinding) {
  expectHealthy(run([](std::uint32_t rank, int) { return rank == 1 ? 2 : 0; }));
}

// A few long waits are no pattern, even if they cover a good part of the time.
// Some more are one.
TEST(TimingTest, AFewLongWaitsMakeNoStraggler) {
  const auto late = [](int times) {
    return run([=](std::uint32_t rank, int i) {
      if (rank != 3) return 0;
      return i % 15 == 7 && i / 15 < times ? 200 : 4;
    });
  };
  expectHealthy(late(3));
  expectVerdict(late(4), VerdictKind::kStraggler, {3});
}

// It may only have lacked a processor.
TEST(TimingTest, ForLessThanHalfASecondItIsNoStraggler) {
  const auto late = [](std::uint32_t rank, int) { return rank == 1 ? 10 : 0; };
  expectHealthy(run(late, {}, 20, 10));
  expectVerdict(run(late, {}, 30, 10), VerdictKind::kStraggler, {1});
}

TEST(TimingTest, OneLongWaitHasACause) {
  const Diagnosis diagnosis = run([](std::uint32_t rank, int i) {
    return rank == 3 && i == 30 ? 3000 : 0;
  });
  expectVerdict(diagnosis, VerdictKind::kLate, {3});
  EXPECT_EQ(diagnosis.verdicts[0].seq, 31U);
}

TEST(TimingTest, LongWaitsInTurnAreOneVerdictAboutAll) {
  const Diagnosis diagnosis = run([](std::uint32_t rank, int i) {
    return i % 15 == 10 && rank == static_cast<std::uint32_t>(i / 15) % 3 ? 3000
                                                                          : 0;
  });
  expectVerdict(diagnosis, VerdictKind::kLate, {0, 1, 2});
  EXPECT_EQ(
      summaryAt(diagnosis, 0)
          .rfind("Ranks 0-2 were late to collectives of \"dp\" 4 times, in "
                 "turn: 12.0 s of ",
                 0),
      0U)
      << textOf(diagnosis);
  EXPECT_NE(textOf(diagnosis).find(
                "Rank 0 was late 2 times, 6.00 s in all: to #11 by 3.00 s, "
                "#56 by 3.00 s."),
            std::string::npos)
      << textOf(diagnosis);
}

TEST(TimingTest, TwoEqualStragglersAreBothNamed) {
  const Diagnosis diagnosis = run([](std::uint32_t rank, int i) {
    if (rank == 1) return 20 + i % 2;
    return rank == 3 ? 21 - i % 2 : 0;
  });
  expectVerdict(diagnosis, VerdictKind::kStraggler, {1, 3});
  EXPECT_NE(textOf(diagnosis).find("Ranks 1,3 keep the others"),
            std::string::npos)
      << textOf(diagnosis);
  const auto& saves = diagnosis.verdicts.front().saves;
  ASSERT_TRUE(saves);
  EXPECT_GT(saves->part, 0.25);
  EXPECT_LE(saves->low, saves->part);
  EXPECT_NE(textOf(diagnosis).find("Without their extra computing the run"),
            std::string::npos)
      << textOf(diagnosis);
}

// Slight lateness neither counts nor sets the beginning.
TEST(TimingTest, CountMedianAndBeginningAreOfWhatMakesAStraggler) {
  const Diagnosis diagnosis = run([](std::uint32_t rank, int i) {
    if (rank != 2) return 0;
    return i % 4 == 3 ? 60 : 2;
  });
  expectVerdict(diagnosis, VerdictKind::kStraggler, {2});
  EXPECT_NE(textOf(diagnosis).find("by 60 ms (median), to 15 of 57 "
                                   "collectives from #4 to #60."),
            std::string::npos)
      << textOf(diagnosis);
  EXPECT_EQ(diagnosis.verdicts[0].since_seq, 4U);
}

TEST(TimingTest, AStragglerHidesNoLongWaitForAnother) {
  const Diagnosis diagnosis = run([](std::uint32_t rank, int i) {
    if (rank == 3 && i == 30) return 3000;
    return rank == 1 ? 20 : 0;
  });
  ASSERT_EQ(diagnosis.verdicts.size(), 2U) << textOf(diagnosis);
  EXPECT_EQ(diagnosis.culprits, (Ranks{1, 3}));
  for (const JobVerdict& verdict : diagnosis.verdicts) {
    const bool late = verdict.kind == VerdictKind::kLate;
    EXPECT_EQ(verdict.culprits, (Ranks{late ? 3U : 1U})) << textOf(diagnosis);
    EXPECT_EQ(late ? verdict.seq : verdict.since_seq, late ? 31U : 2U);
  }
}

// Only a sample of so many operations is timed, but every long one is.
TEST(TimingTest, OneLongWaitIsReportedWhicheverItIs) {
  constexpr int kTimes = 90'000;
  int untimed = kTimes / 2;
  while (isSampled(static_cast<std::uint64_t>(untimed) + 1, 2)) ++untimed;
  const Diagnosis diagnosis =
      run([=](std::uint32_t rank,
              int i) { return rank == 3 && i == untimed ? 60'000 : 0; },
          {}, kTimes, 5);
  EXPECT_EQ(diagnosis.job.stride, 2U);
  expectVerdict(diagnosis, VerdictKind::kLate, {3});
  EXPECT_EQ(diagnosis.verdicts[0].seq, static_cast<std::uint64_t>(untimed) + 1);
}

// Rounds of 5 broadcasts from rank 0 and a barrier, 400 ms apart. Rank 2 is
// `late_ms` late.
Diagnosis broadcasts(std::int64_t late_ms) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    v1::Call& broadcast = rank.addCall(v1::OPERATION_BROADCAST, 1);
    broadcast.set_root_plus_1(1);
    const std::uint32_t barrier = rank.addCall(v1::OPERATION_BARRIER, 1).id();
    const std::int64_t late = r == 2 ? late_ms : 0;
    for (int i = 0; i < 30; ++i) {
      for (int k = 0; k < 5; ++k) {
        rank.end(broadcast.id(), 400 * i + 2 * k + late);
      }
      rank.end(barrier, 400 * i + 10 + late, late_ms + 1 - late);
    }
  }
  return diagnoseJob(job);
}

// Nobody waits for it before the barrier, so it is late once, not six times.
TEST(TimingTest, OneDelayCountsOnce) {
  expectHealthy(broadcasts(20));
  const Diagnosis diagnosis = broadcasts(200);
  expectVerdict(diagnosis, VerdictKind::kStraggler, {2});
  EXPECT_NE(textOf(diagnosis).find("This is 50 % of the time"),
            std::string::npos)
      << textOf(diagnosis);
}

// A reduce need not wait for its root, but here the others do.
TEST(TimingTest, ARankThatOthersAreSeenToWaitForIsLate) {
  for (const std::int64_t took_ms : {42, 1}) {
    JobBuilder job(4);
    for (std::uint32_t r = 0; r < 4; ++r) {
      RankBuilder& rank = job.rank(r);
      v1::Call& reduce = rank.addCall(v1::OPERATION_REDUCE, 1);
      reduce.set_root_plus_1(1);
      for (int i = 0; i < 40; ++i) {
        const int at_ms = 100 * i + (r == 0 ? 40 : 0);
        rank.end(reduce.id(), at_ms, r == 0 ? 2 : took_ms);
      }
    }
    const Diagnosis diagnosis = diagnoseJob(job);
    if (took_ms == 42) {
      expectVerdict(diagnosis, VerdictKind::kStraggler, {0});
    } else {
      expectHealthy(diagnosis);
    }
  }
}

// Nobody waits for a rank that receives last and catches up. All wait for the
// sender.
TEST(TimingTest, OnlyTheRootOfABroadcastIsWaitedForByAll) {
  for (const std::uint32_t root : {0U, 2U}) {
    JobBuilder job(4);
    for (std::uint32_t r = 0; r < 4; ++r) {
      RankBuilder& rank = job.rank(r);
      v1::Call& broadcast = rank.addCall(v1::OPERATION_BROADCAST, 1);
      broadcast.set_root_plus_1(root + 1);
      const std::uint32_t barrier = rank.addCall(v1::OPERATION_BARRIER, 1).id();
      for (int i = 0; i < 40; ++i) {
        const int at_ms = 100 * i + (r == 2 ? 40 : 0);
        rank.end(broadcast.id(), at_ms, root == 2 && r != 2 ? 42 : 1);
        rank.end(barrier, 100 * i + 60);
      }
    }
    const Diagnosis diagnosis = diagnoseJob(job);
    if (root == 2) {
      expectVerdict(diagnosis, VerdictKind::kStraggler, {2});
    } else {
      expectHealthy(diagnosis);
    }
  }
}

// Two all_reduces overlap. On rank 2 the first one's end is reported late, long
// after it called the second.
TEST(TimingTest, ALateReportedEndMakesNoRankLate) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    v1::Call& call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1);
    call.set_async(true);
    for (std::uint64_t i = 0; i < 80; ++i) {
      const auto round = static_cast<std::int64_t>(i / 2);
      const std::int64_t at_ms = 100 * round + (i % 2 == 0 ? 0 : 10);
      const std::int64_t reported_ms = r == 2 && i % 2 == 0 ? 42 : 4;
      rank.stream().add(IssueRow{.op = i + 1,
                                 .issue_ns = RankBuilder::ns(at_ms),
                                 .call = call.id(),
                                 .seq = i + 1});
      rank.stream().add(
          ReturnRow{.op = i + 1, .return_ns = RankBuilder::ns(at_ms)});
      rank.stream().add(DoneRow{.op = i + 1,
                                .end_ns = RankBuilder::ns(at_ms + reported_ms),
                                .source = v1::END_SOURCE_FUTURE});
    }
  }
  expectHealthy(diagnoseJob(job));
}

// Adds an asynchronous call whose end a future reports.
void future(RankBuilder& rank, std::uint32_t call, std::int64_t at_ms,
            std::int64_t reported_at_ms, bool fails = false) {
  const std::uint64_t id = rank.hang(call, at_ms);
  rank.stream().add(ReturnRow{.op = id, .return_ns = RankBuilder::ns(at_ms)});
  rank.stream().add(DoneRow{.op = id,
                            .end_ns = RankBuilder::ns(reported_at_ms),
                            .source = v1::END_SOURCE_FUTURE,
                            .outcome = fails ? 1U : 0U});
}

// The others may not have been waiting when it joined.
TEST(TimingTest, TheCostOfAStragglerIsUnknownForFutureWaits) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    v1::Call& call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1);
    call.set_async(true);
    for (std::int64_t i = 0; i < 60; ++i) {
      future(rank, call.id(), 100 * i + (r == 1 ? 20 : 0), 100 * i + 22);
    }
  }
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kStraggler, {1});
  const std::string text = textOf(diagnosis);
  EXPECT_NE(text.find("Rank 1 is repeatedly late to collectives of"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("if the others waited for it"), std::string::npos)
      << text;
}

// They wait for it in a call of their own. What they did before is known only
// if the future released them, and rank 3's future reports too late.
TEST(TimingTest, TheCostIsUnknownIfOnlyAFutureReleasedThem) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    v1::Call& async = rank.addCall(v1::OPERATION_ALL_REDUCE, 1);
    async.set_async(true);
    const std::uint32_t first = async.id();
    const std::uint32_t second = rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
    const std::int64_t late_ms = r == 1 ? 20 : 0;
    for (std::int64_t i = 0; i < 60; ++i) {
      const std::int64_t at_ms = 100 * i;
      future(rank, first, at_ms + late_ms, at_ms + (r == 3 ? 60 : 22));
      rank.end(second, at_ms + 50 + late_ms, 22 - late_ms);
    }
  }
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kStraggler, {1});
  EXPECT_NE(textOf(diagnosis).find("if the others waited for it"),
            std::string::npos)
      << textOf(diagnosis);
}

// Rank 0 receives from all, so it joins late an operation nobody waits for.
// Whether the others returned before they continued is not recorded. The doubt
// carries over to where they wait for rank 0.
TEST(TimingTest, TheDoubtCarriesOverToLaterWaits) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    v1::Call& async = rank.addCall(v1::OPERATION_ALL_REDUCE, 1);
    async.set_async(true);
    const std::uint32_t first = async.id();
    v1::Call& rooted = rank.addCall(v1::OPERATION_SCATTER, 1);
    rooted.set_root_plus_1(3);
    const std::uint32_t scatter = rooted.id();
    const std::uint32_t all = rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
    v1::Call& collecting = rank.addCall(v1::OPERATION_GATHER, 1);
    collecting.set_root_plus_1(1);
    const std::uint32_t gather = collecting.id();
    const std::int64_t behind_ms = r == 0 ? 20 : 0;
    for (std::int64_t i = 0; i < 60; ++i) {
      const std::int64_t at_ms = 100 * i;
      future(rank, first, at_ms + behind_ms, at_ms + 21);
      rank.end(scatter, at_ms + behind_ms + 30, 1);
      rank.end(all, at_ms + behind_ms + 40, 22 - behind_ms);
      rank.end(gather, at_ms + 70, r == 0 ? 50 : 30);
    }
  }
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kStraggler, {0});
  EXPECT_NE(textOf(diagnosis).find("if the others waited for it"),
            std::string::npos)
      << textOf(diagnosis);
}

// Rank 3 holds up rank 2, which waits by a future. The callback runs after rank
// 2 has continued, or even in its next wait.
Diagnosis heldUpByAFuture(bool until_the_next_wait, bool fails = false) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
    const bool in_pair = r >= 2;
    std::uint32_t pair = 0;
    // Its calls in between do not prove that it had returned.
    const std::uint32_t solo =
        rank.addCall(v1::OPERATION_ALL_REDUCE, rank.addGroup("solo", r, 1))
            .id();
    if (in_pair) {
      v1::Call& async =
          rank.addCall(v1::OPERATION_ALL_REDUCE, rank.addGroup("pair", 2, 2));
      async.set_async(true);
      pair = async.id();
    }
    std::int64_t at_ms = 0;
    for (int i = 0; i < 40; ++i) {
      if (i == 20) at_ms += 2500;
      if (i == 20 && in_pair) {
        future(rank, pair, r == 3 ? at_ms - 10 : at_ms - 2490, at_ms + 5,
               fails);
        if (r == 2 && !until_the_next_wait) future(rank, solo, at_ms, at_ms);
        if (r == 2 && until_the_next_wait) {
          rank.endLater(solo, at_ms - 2480, at_ms + 1, 6);
        }
      }
      const bool waits = i == 20 && !in_pair;
      const std::int64_t call_ms =
          at_ms - (waits ? 2490 : 0) + (r == 2 ? (i == 20 ? 8 : 1) : 0);
      rank.end(call, call_ms, at_ms + 10 - call_ms);
      at_ms += 100;
    }
  }
  return diagnoseJob(job);
}

TEST(TimingTest, APossibleWaitForALateFutureIsNoLateness) {
  expectVerdict(heldUpByAFuture(false), VerdictKind::kLate, {3});
}

TEST(TimingTest, AReportDuringTheNextWaitIsNoLateness) {
  expectVerdict(heldUpByAFuture(true), VerdictKind::kLate, {3});
}

// A failure is an outcome to wait for, too.
TEST(TimingTest, AFailureReportedByAFutureIsNoLateness) {
  const std::string text = textOf(heldUpByAFuture(false, true));
  EXPECT_NE(text.find("failed on ranks 2-3"), std::string::npos) << text;
  EXPECT_NE(text.find("Rank 3 joined "), std::string::npos) << text;
  EXPECT_NE(text.find(" 2.48 s late."), std::string::npos) << text;
  EXPECT_EQ(text.find("Rank 2 "), std::string::npos) << text;
}

// Defines a rank's round that begins at `at_ms`: an all_reduce of all ranks,
// and a message from rank 1 to rank 2. It runs 60 times, 100 ms apart.
using Round =
    std::function<void(RankBuilder& rank, std::uint32_t r, std::uint32_t call,
                       std::uint32_t message, std::int64_t at_ms)>;

Diagnosis rounds(const Round& round) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
    const bool has_message = r == 1 || r == 2;
    const std::uint32_t message =
        has_message ? rank.addMessage(r == 1, 1, 3 - r).id() : 0;
    for (int i = 0; i < 60; ++i) round(rank, r, call, message, 100 * i);
  }
  return diagnoseJob(job);
}

// Rank 2 joins every all_reduce late because rank 1 sends it a message late.
TEST(TimingTest, ARankThatIsHeldUpByAMessageIsNoStraggler) {
  expectHealthy(
      rounds([](RankBuilder& rank, std::uint32_t r, std::uint32_t call,
                std::uint32_t message, std::int64_t at_ms) {
        if (r == 1) rank.endLater(message, at_ms + 30, at_ms + 60);
        if (r == 2) rank.end(message, at_ms, 32);
        rank.end(call, at_ms + (r == 2 ? 33 : 2), r == 2 ? 2 : 33);
      }));
}

// Too many operations are active, with later waits, for the reader to remember
// the earlier waits. It forgets the wait for the message that holds rank 2 up.
TEST(TimingTest, AForgottenWaitIsNoLateness) {
  constexpr int kUnderWay = 2000;
  constexpr std::int64_t kHeldUpMs = 3000;
  expectHealthy(
      rounds([](RankBuilder& rank, std::uint32_t r, std::uint32_t call,
                std::uint32_t message, std::int64_t at_ms) {
        if (r == 2 && at_ms == 0) {
          const std::uint32_t group = rank.addGroup("solo", r, 1);
          const std::uint32_t solo =
              rank.addCall(v1::OPERATION_ALL_REDUCE, group).id();
          for (int i = 0; i < kUnderWay; ++i)
            rank.endLater(solo, 0, 20'000 + i);
        }
        const bool held_up = at_ms >= 2000;
        if (held_up) at_ms += kHeldUpMs;
        const bool holds_up = at_ms == 2000 + kHeldUpMs;
        if (r == 1 && holds_up) rank.endLater(message, at_ms - 5, at_ms);
        if (r == 2 && holds_up) rank.end(message, at_ms - kHeldUpMs, kHeldUpMs);
        const std::int64_t waits_ms = r != 2 && holds_up ? kHeldUpMs : 0;
        rank.end(call, at_ms - waits_ms + (r == 2), waits_ms + 3 - (r == 2));
      }));
}

// The message precedes two all_reduces that all ranks call in sequence. Rank 2
// is not late to the second one either.
TEST(TimingTest, ARankDelayedBeforeThePreviousCollectiveIsNoStraggler) {
  expectHealthy(
      rounds([](RankBuilder& rank, std::uint32_t r, std::uint32_t call,
                std::uint32_t message, std::int64_t at_ms) {
        if (r == 1) rank.endLater(message, at_ms + 30, at_ms + 60);
        if (r == 2) rank.end(message, at_ms, 32);
        const std::int64_t late_ms = r == 2 ? 33 : 2;
        rank.end(call, at_ms + late_ms, 40 - late_ms);
        rank.end(call, at_ms + late_ms + 1, 41 - late_ms);
      }));
}

// Each all_reduce ends 18 ms later for rank 2, which then waits 10 ms for a
// message. It computes no longer than the others.
TEST(TimingTest, ARankThatIsReleasedLaterIsNoStraggler) {
  expectHealthy(
      rounds([](RankBuilder& rank, std::uint32_t r, std::uint32_t call,
                std::uint32_t message, std::int64_t at_ms) {
        if (r == 1) rank.end(message, at_ms - 20, 1);
        if (r == 2) rank.end(message, at_ms - 20, 10);
        rank.end(call, at_ms + (r == 2 ? 28 : 0), r == 2 ? 30 : 40);
      }));
}

// All_reduces bound the difference of the clocks, here to 2 ms.
TEST(TimingTest, BetweenHostsCountsWhatIsCertain) {
  const auto late = [](std::uint32_t rank, int) { return rank == 3 ? 20 : 0; };
  const Diagnosis straggler = run(late, {}, 60, 50, 1'000'000);
  expectVerdict(straggler, VerdictKind::kStraggler, {3});
  EXPECT_NE(textOf(straggler).find("several clocks"), std::string::npos);
  const auto once = [](std::uint32_t rank, int i) {
    return rank == 1 && i == 30 ? 3000 : 0;
  };
  expectVerdict(run(once, {}, 60, 50, 1'000'000), VerdictKind::kLate, {1});
}

// The reference is the median rank of its host, which joins later than the
// first.
TEST(TimingTest, OnItsOwnClockARankIsComparedWithTheMedian) {
  constexpr std::int64_t kComesAtMs[] = {10, 10, 10, 0, 10, 30};
  JobBuilder job(6);
  for (std::uint32_t r = 0; r < 6; ++r) {
    RankBuilder& rank = job.rank(r);
    if (r >= 3) rank.stream().header().set_boot_id("another");
    v1::Call& call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1);
    call.set_in_place(true);
    for (int i = 0; i < 60; ++i) {
      rank.end(call.id(), 100 * i + kComesAtMs[r], 32 - kComesAtMs[r]);
    }
  }
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kStraggler, {5});
  EXPECT_NE(textOf(diagnosis).find("It was late, by 20 ms (median)"),
            std::string::npos)
      << textOf(diagnosis);
}

TEST(TimingTest, ClocksOfDifferentHostsCertifyNothing) {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    RankBuilder& rank = job.rank(r);
    rank.stream().header().set_boot_id("boot-" + std::to_string(r));
    const std::uint32_t call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
    for (int i = 0; i < 60; ++i) rank.end(call, 50 * i + 20 * r, 2);
  }
  expectHealthy(diagnoseJob(job));
}

}  // namespace
}  // namespace traced::testing
