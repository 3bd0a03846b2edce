// Ranks that keep others waiting, and ranks that seem to.

#include <gtest/gtest.h>

#include <functional>

#include "diagnosed.h"

namespace traced::testing {
namespace {

// `late_ms(rank, i)` is how long after the others a rank comes to its i-th
// all_reduce, of `times` that are `apart_ms` apart.
Diagnosis run(const std::function<std::int64_t(std::uint32_t, int)>& late_ms,
              const std::set<std::uint32_t>& without = {}, int times = 60,
              int apart_ms = 50) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
    std::int64_t delayed_ms = 0;
    for (int i = 0; i < times; ++i) {
      std::int64_t most_ms = 0;
      for (std::uint32_t other = 0; other < 4; ++other) {
        most_ms = std::max(most_ms, late_ms(other, i));
      }
      const std::int64_t due_ms = apart_ms * i + delayed_ms;
      const std::int64_t late = late_ms(r, i);
      rank.end(call, due_ms + late, most_ms - late + 2);
      delayed_ms += most_ms;
    }
  }
  return diagnoseJob(job, Ending::kClosed, without);
}

TEST(TimingTest, OfAFewWithoutATraceItIsDoubted) {
  const auto late = [](std::uint32_t rank, int) { return rank == 1 ? 20 : 0; };
  const Diagnosis diagnosis = run(late, {3});
  expectVerdict(diagnosis, VerdictKind::kStraggler, {1});
  expectConfidence(diagnosis, Confidence::kLikely, Confidence::kLikely);
  expectHealthy(run(late, {2, 3}));
}

TEST(TimingTest, ARankThatIsAlwaysLastIsAStraggler) {
  for (std::uint32_t culprit = 0; culprit < 4; ++culprit) {
    expectVerdict(
        run([=](std::uint32_t rank, int) { return rank == culprit ? 20 : 0; }),
        VerdictKind::kStraggler, {culprit});
  }
}

TEST(TimingTest, AlsoOneThatBecomesSlow) {
  expectVerdict(run([](std::uint32_t rank, int i) {
                  return rank == 2 && i >= 40 ? 20 : 0;
                }),
                VerdictKind::kStraggler, {2});
}

TEST(TimingTest, RanksThatAreLateInTurnAreNone) {
  expectHealthy(run([](std::uint32_t rank, int i) {
    return rank == static_cast<std::uint32_t>(i) % 4 ? 20 : 0;
  }));
}

// What it is late for by itself counts, not only when it is the last.
TEST(TimingTest, AlsoOneThatAnotherIsAtTimesLaterThan) {
  expectVerdict(run([](std::uint32_t rank, int i) {
                  if (rank == 2) return 20;
                  return rank == 1 && i % 3 == 0 ? 23 : 0;
                }),
                VerdictKind::kStraggler, {2});
}

TEST(TimingTest, ALittleIsNoMatter) {
  expectHealthy(run([](std::uint32_t rank, int) { return rank == 1 ? 2 : 0; }));
}

// It may just have been without a processor.
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

// 60 times, 100 ms apart, what a rank does in the round that begins at `at_ms`:
// an all_reduce of all, and a message from rank 1 to rank 2.
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

// Rank 2 comes late to every all_reduce: it waits for a message that rank 1
// sends late.
TEST(TimingTest, ARankThatIsHeldUpByAMessageIsNoStraggler) {
  expectHealthy(
      rounds([](RankBuilder& rank, std::uint32_t r, std::uint32_t call,
                std::uint32_t message, std::int64_t at_ms) {
        if (r == 1) rank.endLater(message, at_ms + 30, at_ms + 60);
        if (r == 2) rank.end(message, at_ms, 32);
        rank.end(call, at_ms + (r == 2 ? 33 : 2), r == 2 ? 2 : 33);
      }));
}

// Each all_reduce ends 18 ms later for rank 2, which then waits 10 ms for a
// message: it computes no longer than the others.
TEST(TimingTest, ARankThatIsReleasedLaterIsNoStraggler) {
  expectHealthy(
      rounds([](RankBuilder& rank, std::uint32_t r, std::uint32_t call,
                std::uint32_t message, std::int64_t at_ms) {
        if (r == 1) rank.end(message, at_ms - 20, 1);
        if (r == 2) rank.end(message, at_ms - 20, 10);
        rank.end(call, at_ms + (r == 2 ? 28 : 0), r == 2 ? 30 : 40);
      }));
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
