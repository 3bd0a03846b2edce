// Tests consequences that look like causes. Each comes from a made-up program
// that was once diagnosed wrongly; see tests/truth.

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

bool hasVerdict(const Diagnosis& diagnosis, VerdictKind kind) {
  return std::any_of(diagnosis.verdicts.begin(), diagnosis.verdicts.end(),
                     [kind](const auto& each) { return each.kind == kind; });
}

std::uint32_t addScatter(RankBuilder& rank, std::uint32_t group) {
  v1::Call& call =
      rank.addCall(v1::OPERATION_REDUCE_SCATTER_TENSOR, group, 4096, 2048);
  call.set_async(true);
  return call.id();
}

// Rank 1 leaves out the broadcast, so its first operation, an all-to-all,
// shares a number with rank 0's broadcast. Splits are comparable only within
// one exchange.
TEST(SeemingCausesTest, OnlyRanksThatExchangeCanDisagreeOnSplits) {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    RankBuilder& rank = job.rank(r);
    v1::Call& exchange = rank.addCall(v1::OPERATION_ALL_TO_ALL_SINGLE, 1, 8, 8);
    for (int i = 0; i < 2; ++i) {
      exchange.add_split_in(1);
      exchange.add_split_out(1);
    }
    const std::uint32_t exchanged = exchange.id();
    v1::Call& broadcast = rank.addCall(v1::OPERATION_BROADCAST, 1);
    broadcast.set_root_plus_1(1);
    if (r == 0) rank.end(broadcast.id(), 0);
    rank.end(exchanged, 10);
  }
  const Diagnosis diagnosis = diagnoseJob(job);
  EXPECT_TRUE(hasVerdict(diagnosis, VerdictKind::kOpMismatch))
      << textOf(diagnosis);
  EXPECT_FALSE(hasVerdict(diagnosis, VerdictKind::kSplitMismatch))
      << textOf(diagnosis);
}

// Two messages alternate. If one is left out, the next two seem swapped.
TEST(SeemingCausesTest, AMessageLeftOutOfTwoThatAlternateIsNoSwap) {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t small = rank.addMessage(r == 0, 1, 1 - r, 64).id();
    const std::uint32_t large = rank.addMessage(r == 0, 1, 1 - r, 128).id();
    for (int i = 0; i < 5; ++i) {
      rank.end(small, 20 * i);
      if (r == 0 || i != 2) rank.end(large, 20 * i + 10);
    }
  }
  const Diagnosis diagnosis = diagnoseJob(job);
  EXPECT_FALSE(diagnosis.verdicts.empty());
  EXPECT_FALSE(hasVerdict(diagnosis, VerdictKind::kOrderMismatch))
      << textOf(diagnosis);
}

// The end of a reduce-scatter is visible in its wait, and rank 0 waits for
// something else.
TEST(SeemingCausesTest, AThreadThatIsHeldUpElsewhereDoesNotHangInWhatItIssued) {
  JobBuilder job(2);
  job.all([](RankBuilder& rank) {
    v1::Call& scattered =
        rank.addCall(v1::OPERATION_REDUCE_SCATTER_TENSOR, 1, 4096, 2048);
    scattered.set_async(true);
    rank.hang(scattered.id(), 0);
  });
  job.rank(0).hang(job.rank(0).addCall(v1::OPERATION_BARRIER, 1).id(), 10);
  job.all([](RankBuilder& rank) { rank.idleUntil(60'000); });
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kRecovered);
  for (const JobVerdict& verdict : diagnosis.verdicts) {
    const bool accuses =
        verdict.kind == VerdictKind::kHungIn &&
        std::count(verdict.culprits.begin(), verdict.culprits.end(), 0U) > 0;
    EXPECT_FALSE(accuses) << textOf(diagnosis);
  }
}

// Rank 1 was killed before its first message. Rank 0 never waited for that
// message, and hangs in the next one.
TEST(SeemingCausesTest, AMessageWithoutAWaiterDoesNotHideTheNext) {
  JobBuilder job(2);
  RankBuilder& rank = job.rank(0);
  v1::Call& first = rank.addMessage(false, 1, 1);
  first.set_async(true);
  rank.hang(first.id(), 0);
  v1::Call& second = rank.addMessage(false, 1, 1);
  second.set_async(false);
  rank.hang(second.id(), 10);
  job.all([](RankBuilder& each) { each.idleUntil(60'000); });
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kRecovered);
  expectVerdict(diagnosis, VerdictKind::kNeverJoined, {1});
  EXPECT_EQ(diagnosis.verdicts[0].seq, 2U) << textOf(diagnosis);
}

// Rank 1's trace lost records. Its missing end may be among them, and the rank
// reached its own end.
TEST(SeemingCausesTest, AnEndThatMayBeLostIsNoHang) {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    RankBuilder& rank = job.rank(r);
    v1::Call& call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1);
    call.set_async(true);
    if (r == 0) rank.end(call.id(), 0);
    if (r == 1) rank.hang(call.id(), 0);
  }
  job.rank(1).stream().drop(v1::DROP_REASON_RING_FULL, 1);
  const Diagnosis diagnosis = diagnoseJob(job);
  EXPECT_FALSE(hasVerdict(diagnosis, VerdictKind::kHungIn))
      << textOf(diagnosis);
}

// Rank 2 made one extra call, and all other programs ended without it. Their
// end is no anomaly, although they never ended before.
TEST(SeemingCausesTest, AnEndSharedByMostRanksIsNoAnomaly) {
  JobBuilder job(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
    for (int i = 0; i < 20; ++i) rank.end(call, 10 * i);
    if (r == 2) rank.hang(call, 200);
    if (r == 2) rank.idleUntil(60'000);
    rank.processEnd().set_exit_code(0);
  }
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kNeverJoined, {2});
}

// Issued before the last wait, and followed by other operations.
TEST(SeemingCausesTest, AnOperationIssuedLongBeforeMayBeWaitedFor) {
  JobBuilder job(2);
  job.all([](RankBuilder& rank) {
    rank.hang(addScatter(rank, 1), 0);
    rank.end(rank.addCall(v1::OPERATION_BARRIER, 1).id(), 10);
    rank.hang(addScatter(rank, 1), 20);
    rank.idleUntil(60'000);
  });
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kRecovered);
  expectVerdict(diagnosis, VerdictKind::kHungIn, {0, 1});
  EXPECT_EQ(diagnosis.verdicts[0].seq, 1U) << textOf(diagnosis);
}

// Issued at the very instant at which a wait ended.
TEST(SeemingCausesTest, AnOperationIssuedAsAWaitEndsMayBeWaitedFor) {
  JobBuilder job(2);
  RankBuilder& rank = job.rank(0);
  v1::Call& receives = rank.addMessage(false, 1, 1);
  receives.set_async(true);
  rank.end(receives.id(), 0, 10);
  job.rank(1).end(job.rank(1).addMessage(true, 1, 0).id(), 0);
  rank.hang(receives.id(), 10);
  rank.hang(rank.addMessage(true, 1, 1).id(), 11);
  job.all([](RankBuilder& each) { each.idleUntil(60'000); });
  EXPECT_FALSE(diagnoseJob(job, Ending::kRecovered).healthy());
}

// Rank 1 holds the Work of an operation that the others waited for. Whether it
// computes or waits is not recorded.
TEST(SeemingCausesTest, APossibleWaitIsNotCertain) {
  JobBuilder job(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    const std::uint32_t scatter = addScatter(job.rank(r), 1);
    if (r == 1) {
      job.rank(r).hang(scatter, 0);
    } else {
      job.rank(r).end(scatter, 0);
    }
    job.rank(r).live(60'000);
  }
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kRecovered);
  expectVerdict(diagnosis, VerdictKind::kHungIn, {1});
  expectConfidence(diagnosis, Confidence::kLikely, Confidence::kLikely);
  EXPECT_NE(
      textOf(diagnosis).find("No record shows whether rank 1 waits for it"),
      std::string::npos)
      << textOf(diagnosis);
}

// Ranks 0 and 1 wait in the first of two operations, which rank 2 did not join.
// The second one, which did not end either, needs no cause of its own.
TEST(SeemingCausesTest, OneOfTwoPossibleWaitsLacksARank) {
  JobBuilder job(3);
  job.allBut(2, [](RankBuilder& rank) {
    rank.addGroup("pair", 0, 2);
    rank.hang(addScatter(rank, 1), 0);
    rank.hang(addScatter(rank, 2), 10);
  });
  job.all([](RankBuilder& rank) { rank.idleUntil(60'000); });
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kRecovered);
  expectVerdict(diagnosis, VerdictKind::kNeverJoined, {2});
  EXPECT_NE(textOf(diagnosis).find("may only wait for that"), std::string::npos)
      << textOf(diagnosis);
  EXPECT_NE(textOf(diagnosis).find("ranks 0-1 may wait for it"),
            std::string::npos)
      << textOf(diagnosis);
}

// The root of a broadcast continues without rank 1, and hangs later.
TEST(SeemingCausesTest, OperationsThatOthersEndedDoNotHideTheirHang) {
  JobBuilder job(2);
  job.all([](RankBuilder& rank) {
    rank.end(rank.addCall(v1::OPERATION_BARRIER, 1).id(), 0);
  });
  RankBuilder& root = job.rank(0);
  v1::Call& broadcast = root.addCall(v1::OPERATION_BROADCAST, 1);
  broadcast.set_root_plus_1(1);
  root.end(broadcast.id(), 10);
  root.hang(1, 20);
  job.all([](RankBuilder& rank) { rank.idleUntil(60'000); });
  expectVerdict(diagnoseJob(job, Ending::kRecovered), VerdictKind::kNeverJoined,
                {1});
}

}  // namespace
}  // namespace traced::testing
