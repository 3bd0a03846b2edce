#include "analysis/whatif/replay.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace traced::whatif {
namespace {

constexpr float kMs = 1e6F;

// Builds jobs whose replay can be computed by hand.
class ReplayTest : public ::testing::Test {
 protected:
  explicit ReplayTest(std::size_t ranks = 2) {
    job_.kinds.push_back({.op = v1::OPERATION_ALL_REDUCE, .group_size = 2});
    job_.usual_lag_ns = {0};
    job_.ranks.resize(ranks);
  }

  // Returns a meeting of `joins` ranks.
  std::uint32_t meeting(std::uint32_t joins, float transfer_ms) {
    Meeting& meeting = job_.meetings.emplace_back();
    meeting.kind = 0;
    meeting.joins = joins;
    meeting.has_end = true;
    meeting.transfer_ns = meeting.low_ns = meeting.high_ns = transfer_ms * kMs;
    return static_cast<std::uint32_t>(job_.meetings.size() - 1);
  }

  Event& join(std::uint32_t rank, std::uint32_t meeting, float gap_ms) {
    Event& event = job_.ranks[rank].events.emplace_back();
    event.meeting = meeting;
    event.gap_ns = gap_ms * kMs;
    return event;
  }
  Event& wait(std::uint32_t rank, std::uint32_t meeting, float gap_ms = 0) {
    Event& event = join(rank, meeting, gap_ms);
    event.is_wait = 1;
    return event;
  }

  double ms(Lane lane = kEstimate, const Change& change = {}) const {
    return replay(job_, change).ns[lane] / kMs;
  }

  ReplayJob job_;
};

TEST_F(ReplayTest, EndsAfterTheLastRankAndTheTransfer) {
  const std::uint32_t met = meeting(2, 1);
  join(0, met, 10);
  wait(0, met);
  join(1, met, 20);
  wait(1, met);
  EXPECT_DOUBLE_EQ(ms(), 21);
}

TEST_F(ReplayTest, ComputingHidesATransfer) {
  const std::uint32_t met = meeting(2, 5);
  for (const std::uint32_t rank : {0U, 1U}) {
    join(rank, met, 10);
    wait(rank, met, 8);
  }
  EXPECT_DOUBLE_EQ(ms(), 18);
}

TEST_F(ReplayTest, ReplacesTheGapsOfOneRank) {
  const std::uint32_t met = meeting(2, 1);
  join(0, met, 10);
  wait(0, met);
  join(1, met, 20);
  wait(1, met);
  const std::vector<float> shorter = {10 * kMs, 0};
  const std::vector<float> largest = {14 * kMs, 0};
  Change change;
  change.gaps.resize(2);
  change.gaps[1] = {&shorter, 0.5, &largest, 1};
  EXPECT_DOUBLE_EQ(ms(kEstimate, change), 11);
  // Rank 0 still computes for 10 ms.
  EXPECT_DOUBLE_EQ(ms(kShortest, change), 11);
  EXPECT_DOUBLE_EQ(ms(kLongest, change), 15);
}

TEST_F(ReplayTest, QueuedOperationsFollowEachOther) {
  const std::uint32_t first = meeting(2, 10);
  const std::uint32_t second = meeting(2, 10);
  for (const std::uint32_t rank : {0U, 1U}) {
    join(rank, first, 1);
    join(rank, second, 1).after = first;
    wait(rank, second);
  }
  // 1 ms of computing, then two transfers in a row.
  EXPECT_DOUBLE_EQ(ms(), 21);
  Change faster;
  faster.transfer_factor = {0.5, 1};
  EXPECT_DOUBLE_EQ(ms(kEstimate, faster), 16);
}

TEST_F(ReplayTest, AQueueIsBusyUntilItsOperationEnded) {
  const std::uint32_t first = meeting(2, 10);
  const std::uint32_t second = meeting(2, 10);
  for (const std::uint32_t rank : {0U, 1U}) {
    join(rank, first, 1);
    Event& event = join(rank, second, 1);
    if (rank == 0) {
      event.after = first;
      event.lag_ns = 3 * kMs;
    }
    wait(rank, second);
  }
  EXPECT_DOUBLE_EQ(ms(), 21);
  EXPECT_DOUBLE_EQ(ms(kLongest), 24);
}

TEST_F(ReplayTest, AnUnseenWaitGivesAnInterval) {
  const std::uint32_t met = meeting(2, 0);
  join(0, met, 0);
  Event& unseen = wait(0, met, 10);
  unseen.is_unseen = 1;
  unseen.may_wait_ns = 10 * kMs;
  join(1, met, 2);
  const Replayed replayed = replay(job_, {});
  // Waited: until rank 1 was ready. Computed: for 10 ms.
  EXPECT_DOUBLE_EQ(replayed.ns[kEstimate] / kMs, 2);
  EXPECT_DOUBLE_EQ(replayed.low() / kMs, 2);
  EXPECT_DOUBLE_EQ(replayed.high() / kMs, 10);
}

TEST_F(ReplayTest, ALagMayOrMayNotVanish) {
  const std::uint32_t met = meeting(2, 1);
  join(0, met, 10);
  wait(0, met).lag_ns = 5 * kMs;
  join(1, met, 10);
  wait(1, met);
  job_.usual_lag_ns = {2 * kMs};
  EXPECT_DOUBLE_EQ(ms(kEstimate), 13);
  EXPECT_DOUBLE_EQ(ms(kShortest), 11);
  EXPECT_DOUBLE_EQ(ms(kLongest), 16);
}

TEST_F(ReplayTest, BreaksACircleOfWaits) {
  const std::uint32_t a = meeting(2, 1);
  const std::uint32_t b = meeting(2, 1);
  join(0, a, 1);
  wait(0, a);
  join(0, b, 1);
  join(1, b, 1);
  wait(1, b);
  join(1, a, 1);
  EXPECT_EQ(replay(job_, {}).forced, 1U);
}

}  // namespace
}  // namespace traced::whatif
