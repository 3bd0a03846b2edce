// Tests operations on a device, whose ends only some sources report. A hang is
// reported only for operations whose ends are reported.

#include <gtest/gtest.h>

#include "diagnosed.h"

namespace traced::testing {
namespace {

constexpr std::int64_t kSilentUntil = 60'000;
constexpr std::uint32_t kNotReported = v1::END_SOURCE_UNSPECIFIED;
constexpr std::uint32_t kHook = v1::END_SOURCE_COMPLETION_HOOK;
constexpr std::uint32_t kEvent = v1::END_SOURCE_DEVICE_EVENT;
constexpr std::uint32_t kDeviceWait = v1::END_SOURCE_DEVICE_WAIT;

// A rank of a job on NCCL.
class DeviceRank {
 public:
  explicit DeviceRank(RankBuilder& rank) : rank_(rank) {
    rank.stream().payload().mutable_group(0)->set_backend("nccl");
  }
  v1::Call& call(bool async, v1::Operation op = v1::OPERATION_ALL_REDUCE) {
    v1::Call& call = rank_.addCall(op, 1);
    call.set_async(async);
    return call;
  }
  // Runs the next operation; `source` reports its end.
  std::uint64_t run(std::uint32_t call, std::uint32_t source) {
    const std::uint64_t id = rank_.hang(call, at_ms_);
    if (source != kNotReported) {
      rank_.stream().add(DoneRow{
          .op = id, .end_ns = RankBuilder::ns(at_ms_ + 5), .source = source});
    }
    at_ms_ += 10;
    return id;
  }
  void wait(std::uint64_t op) {
    rank_.stream().add(WaitRow{
        .op = op, .wait_begin_ns = RankBuilder::ns(at_ms_), .wait_ns = 1000});
  }

 private:
  RankBuilder& rank_;
  std::int64_t at_ms_ = 0;
};

// Runs `act` on two ranks, which are silent for a minute afterwards.
template <typename Act>
Diagnosis diagnosed(Act act, Ending ending = Ending::kRecovered) {
  JobBuilder job(2);
  job.all([&](RankBuilder& builder) {
    DeviceRank rank(builder);
    act(rank);
    builder.live(kSilentUntil);
  });
  return diagnoseJob(job, ending);
}

void runTimes(DeviceRank& rank, std::uint32_t call, std::uint32_t source,
              int times) {
  for (int i = 0; i < times; ++i) rank.run(call, source);
}

TEST(DeviceTest, SynchronousCallsWithoutReportedEndsAreNoHang) {
  for (const Ending ending : {Ending::kClosed, Ending::kRecovered}) {
    expectHealthy(diagnosed(
        [](DeviceRank& rank) {
          runTimes(rank, rank.call(false).id(), kNotReported, 5);
        },
        ending));
  }
}

TEST(DeviceTest, SynchronousCallsBesideAWatchdogAreNoHang) {
  expectHealthy(diagnosed([](DeviceRank& rank) {
    const std::uint32_t async = rank.call(true).id();
    const std::uint32_t sync = rank.call(false).id();
    for (int i = 0; i < 20; ++i) {
      rank.run(async, kHook);
      rank.run(sync, kNotReported);
    }
  }));
}

TEST(DeviceTest, AMissingWatchdogReportIsAHang) {
  expectVerdict(diagnosed([](DeviceRank& rank) {
                  const std::uint32_t async = rank.call(true).id();
                  runTimes(rank, async, kHook, 5);
                  rank.run(async, kNotReported);
                }),
                VerdictKind::kHungIn, {0, 1});
}

TEST(DeviceTest, AMissingEventAfterAnInitialGapIsAHang) {
  for (const int reports : {3, 20}) {
    const Diagnosis found = diagnosed([&](DeviceRank& rank) {
      const std::uint32_t sync = rank.call(false).id();
      runTimes(rank, sync, kNotReported, 3);
      runTimes(rank, sync, kEvent, reports);
      rank.run(sync, kNotReported);
    });
    if (reports < 16) {
      expectHealthy(found);
    } else {
      expectVerdict(found, VerdictKind::kHungIn, {0, 1});
    }
  }
}

TEST(DeviceTest, AProcessThatEndedByItselfMayLackTheLastAnswers) {
  JobBuilder job(2);
  job.all([](RankBuilder& builder) {
    DeviceRank rank(builder);
    const std::uint32_t sync = rank.call(false).id();
    runTimes(rank, sync, kEvent, 5);
    rank.run(sync, kNotReported);
    builder.stream().add(
        MarkRow{1000, RankBuilder::ns(100), v1::MARK_KIND_DEVICE_UNTIMED, 1});
  });
  expectHealthy(diagnoseJob(job, Ending::kClosed));
}

TEST(DeviceTest, AFullyJoinedOperationMayBeQueuedBehindAWait) {
  JobBuilder job(2);
  for (const std::uint32_t number : {0U, 1U}) {
    RankBuilder& builder = job.rank(number);
    DeviceRank rank(builder);
    const std::uint32_t all = rank.call(true).id();
    const std::uint32_t group = builder.addGroup("tp", 0, 2);
    builder.stream().payload().mutable_group(1)->set_backend("nccl");
    v1::Call& call = builder.addCall(v1::OPERATION_ALL_REDUCE, group);
    call.set_async(true);
    const std::uint32_t pair = call.id();
    for (int i = 0; i < 5; ++i) {
      rank.run(pair, kHook);
      rank.run(all, kHook);
    }
    if (number == 0) rank.run(pair, kNotReported);
    rank.run(all, kNotReported);
    builder.live(kSilentUntil);
  }
  const Diagnosis found = diagnoseJob(job, Ending::kRecovered);
  ASSERT_EQ(found.verdicts.size(), 1U) << textOf(found);
  EXPECT_STREQ(nameOf(found.verdicts[0].kind), "never_joined");
  EXPECT_EQ(found.verdicts[0].seq, 6U);
}

TEST(DeviceTest, NamesTheRankWhoseDeviceStoppedNotTheWaitingOnes) {
  JobBuilder job(2);
  for (const std::uint32_t number : {0U, 1U}) {
    RankBuilder& builder = job.rank(number);
    DeviceRank rank(builder);
    const std::uint32_t sync = rank.call(false).id();
    runTimes(rank, sync, kEvent, 20);
    rank.run(sync, kNotReported);
    if (number == 0) continue;
    rank.run(sync, kNotReported);
    builder.live(kSilentUntil);
  }
  expectVerdict(diagnoseJob(job, Ending::kRecovered), VerdictKind::kHungIn,
                {0});
}

TEST(DeviceTest, CapturedCallsNeverEnd) {
  expectHealthy(diagnosed([](DeviceRank& rank) {
    const std::uint32_t async = rank.call(true).id();
    v1::Call& captured = rank.call(true);
    captured.set_graph_plus_1(3);
    runTimes(rank, async, kHook, 5);
    runTimes(rank, captured.id(), kNotReported, 3);
  }));
}

TEST(DeviceTest, WithWaitBasedEndsOnlyAwaitedOperationsAreJudged) {
  for (const bool waits : {false, true}) {
    const Diagnosis found = diagnosed([&](DeviceRank& rank) {
      const std::uint32_t async = rank.call(true).id();
      for (int i = 0; i < 5; ++i) rank.wait(rank.run(async, kDeviceWait));
      const std::uint64_t last = rank.run(async, kNotReported);
      if (waits) rank.wait(last);
    });
    if (waits) {
      expectVerdict(found, VerdictKind::kHungIn, {0, 1});
    } else {
      expectHealthy(found);
    }
  }
}

}  // namespace
}  // namespace traced::testing
