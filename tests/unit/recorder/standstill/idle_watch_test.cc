// Tests when an idle process is sampled, at fixed instants.

#include "recorder/standstill/idle_watch.h"

#include <gtest/gtest.h>

#include <vector>

#include "ring_io/ring/record.h"

namespace traced {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kS = 1'000 * kMs;

template <typename Event>
void update(IdleWatch& watch, RecordKind kind, const Event& event) {
  Ring::Record record;
  record.kind = kind;
  record.payload = {reinterpret_cast<const char*>(&event), sizeof event};
  watch.update(record);
}

void issue(IdleWatch& watch, std::int64_t at_ns) {
  IssueRecord issued{};
  issued.issue_ns = at_ns;
  update(watch, RecordKind::kIssue, issued);
}

// Polls 20 times a second, like the writer. Returns the idle times in seconds
// at which samples were due.
std::vector<std::int64_t> samples(IdleWatch& watch, std::int64_t from_ns,
                                  std::int64_t until_ns) {
  std::vector<std::int64_t> seconds;
  for (std::int64_t ns = from_ns; ns <= until_ns; ns += 50 * kMs) {
    if (watch.isDue(ns)) seconds.push_back((ns - from_ns) / kS);
  }
  return seconds;
}

TEST(IdleWatchTest, SamplesLessAndLessOften) {
  IdleWatch watch(5 * kS, 0);
  EXPECT_EQ(samples(watch, 0, 1000 * kS),
            (std::vector<std::int64_t>{5, 10, 30, 60, 300, 600, 900}));
}

TEST(IdleWatchTest, AnOperationStartsTheTimeAgain) {
  IdleWatch watch(5 * kS, 0);
  issue(watch, 4 * kS);
  EXPECT_EQ(samples(watch, 4 * kS, 12 * kS), (std::vector<std::int64_t>{5}));
  issue(watch, 12 * kS);
  EXPECT_EQ(samples(watch, 12 * kS, 41 * kS), std::vector<std::int64_t>{});
}

TEST(IdleWatchTest, TheEndOfAWaitStartsTheTimeAgain) {
  IdleWatch watch(5 * kS, 0);
  WaitRecord wait{};
  wait.begin_ns = 1 * kS;
  wait.wait_ns = 3 * kS;
  update(watch, RecordKind::kWait, wait);
  EXPECT_EQ(samples(watch, 4 * kS, 10 * kS), (std::vector<std::int64_t>{5}));
}

TEST(IdleWatchTest, IgnoresOtherRecords) {
  IdleWatch watch(5 * kS, 0);
  const MarkRecord mark{4 * kS, 0, MarkKind::kFlush};
  update(watch, RecordKind::kMark, mark);
  EXPECT_TRUE(watch.isDue(5 * kS));
}

TEST(IdleWatchTest, AProgramWithLongGapsIsSampledAfterTenOfThem) {
  IdleWatch watch(5 * kS, 0);
  for (int step = 1; step <= 100; ++step) issue(watch, step * 2 * kS);
  EXPECT_EQ(watch.usualGapNs(), 2 * kS);
  EXPECT_EQ(samples(watch, 200 * kS, 231 * kS),
            (std::vector<std::int64_t>{20, 30}));
}

TEST(IdleWatchTest, AVeryLongGapDelaysTheFirstSampleToThirtySeconds) {
  IdleWatch watch(5 * kS, 0);
  issue(watch, 1 * kS);
  issue(watch, 301 * kS);  // such as a checkpoint
  issue(watch, 302 * kS);
  EXPECT_EQ(samples(watch, 302 * kS, 370 * kS),
            (std::vector<std::int64_t>{30, 60}));
}

TEST(IdleWatchTest, TheTimeBeforeTheFirstOperationIsNoGap) {
  IdleWatch watch(5 * kS, 0);
  issue(watch, 300 * kS);
  issue(watch, 300 * kS + 10 * kMs);
  EXPECT_EQ(watch.usualGapNs(), 10 * kMs);
}

TEST(IdleWatchTest, ManyShortGapsDoNotHideTheLongOnes) {
  IdleWatch watch(5 * kS, 0);
  // In each step 50 operations, 2 ms apart, and then 2 s of computing.
  std::int64_t ns = 0;
  for (int step = 0; step < 100; ++step) {
    for (int i = 0; i < 50; ++i) issue(watch, ns += 2 * kMs);
    ns += 2 * kS;
  }
  EXPECT_NEAR(static_cast<double>(watch.usualGapNs()), 1.9e9, 0.1e9);
}

TEST(IdleWatchTest, OneLongGapIsForgotten) {
  IdleWatch watch(5 * kS, 0);
  issue(watch, 0 * kS + 1);
  issue(watch, 60 * kS);  // such as the first compilation
  std::int64_t ns = 60 * kS;
  for (int step = 0; step < 6000; ++step) issue(watch, ns += 100 * kMs);
  EXPECT_LT(watch.usualGapNs(), kS / 2);
  EXPECT_TRUE(watch.isDue(ns + 5 * kS));
}

TEST(IdleWatchTest, ZeroSwitchesItOff) {
  IdleWatch watch(0, 0);
  issue(watch, 1);
  EXPECT_EQ(samples(watch, 0, 1000 * kS), std::vector<std::int64_t>{});
}

}  // namespace
}  // namespace traced
