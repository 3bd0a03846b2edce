// Tests transfers that are slower than others, and those that only seem slower.

#include <gtest/gtest.h>

#include <functional>

#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

// The duration of the i-th message from a rank to the next one, in ms.
using Took = std::function<std::int64_t(std::uint32_t source, int i)>;

// 64 times, 100 ms apart, each rank sends to the next one and receives from the
// previous one.
void fillRing(JobBuilder& job, const Took& took_ms, int times = 64) {
  for (std::uint32_t r = 0; r < job.size(); ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t before = (r + job.size() - 1) % job.size();
    const std::uint32_t send =
        rank.addMessage(true, 1, (r + 1) % job.size()).id();
    const std::uint32_t receive = rank.addMessage(false, 1, before).id();
    for (int i = 0; i < times; ++i) {
      rank.end(send, 100 * i);
      rank.end(receive, 100 * i, took_ms(before, i));
    }
  }
}

Diagnosis ring(std::uint32_t world, const Took& took_ms, int times = 64,
               const std::set<std::uint32_t>& without = {}) {
  JobBuilder job(world);
  fillRing(job, took_ms, times);
  return diagnoseJob(job, Ending::kClosed, without);
}

Took slowFrom(std::uint32_t culprit, std::int64_t slow_ms = 40) {
  return [=](std::uint32_t source, int) {
    return source == culprit ? slow_ms : 2;
  };
}

TEST(SlowPeerTest, ALinkThatIsAlwaysSlow) {
  for (std::uint32_t source = 0; source < 4; ++source) {
    const std::uint32_t next = (source + 1) % 4;
    const Diagnosis diagnosis = ring(4, slowFrom(source));
    expectVerdict(diagnosis, VerdictKind::kSlowPeer,
                  {std::min(source, next), std::max(source, next)});
    EXPECT_EQ(diagnosis.verdicts[0].pair, std::pair(source, next));
    EXPECT_EQ(summaryAt(diagnosis, 0).find("Transfers between ranks "), 0U);
    expectConfidence(diagnosis, Confidence::kLikely, Confidence::kLikely);
    EXPECT_NE(textOf(diagnosis).find("quick with others"), std::string::npos);
  }
}

// A broadcast from rank 0 reaches rank 3 through rank 1, which is late.
TEST(SlowPeerTest, ARankBehindALateOneIsNotSlow) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    v1::Call& broadcast = rank.addCall(v1::OPERATION_BROADCAST, 1);
    broadcast.set_root_plus_1(1);
    const std::uint32_t barrier = rank.addCall(v1::OPERATION_BARRIER, 1).id();
    const std::int64_t late_ms = r == 1 ? 40 : 0;
    const std::int64_t over_ms = r == 1 || r == 3 ? 44 : 2;
    for (int i = 0; i < 40; ++i) {
      rank.end(broadcast.id(), 100 * i + late_ms, over_ms - late_ms);
      rank.end(barrier, 100 * i + over_ms + 1, 48 - over_ms);
    }
  }
  expectVerdict(diagnoseJob(job), VerdictKind::kStraggler, {1});
}

TEST(SlowPeerTest, ARankThatIsInAllSlowLinksIsNamedAlone) {
  const Diagnosis diagnosis = ring(6, [](std::uint32_t source, int) {
    return source == 2 || source == 3 ? 40 : 2;
  });
  expectVerdict(diagnosis, VerdictKind::kSlowPeer, {3});
  EXPECT_EQ(summaryAt(diagnosis, 0),
            "Transfers of rank 3 are slow, although no rank is late.");
}

TEST(SlowPeerTest, LinksWithoutARankInCommonAreTwoFindings) {
  const Diagnosis diagnosis = ring(8, [](std::uint32_t source, int) {
    return source == 1 || source == 5 ? 40 : 2;
  });
  EXPECT_EQ(diagnosis.verdicts.size(), 2U) << textOf(diagnosis);
  EXPECT_EQ(diagnosis.culprits, (Ranks{1, 2, 5, 6})) << textOf(diagnosis);
}

TEST(SlowPeerTest, ALinkThatBecomesSlowIsFound) {
  expectVerdict(ring(4, [](std::uint32_t source,
                           int i) { return source == 2 && i >= 32 ? 40 : 2; }),
                VerdictKind::kSlowPeer, {2, 3});
}

TEST(SlowPeerTest, ARecoveredLinkIsNotSlow) {
  expectHealthy(ring(4, [](std::uint32_t source, int i) {
    return source == 2 && i < 54 ? 40 : 2;
  }));
}

TEST(SlowPeerTest, LinksThatAreSlowInTurnAreNoFinding) {
  for (const int turn : {1, 5}) {
    expectHealthy(ring(4, [=](std::uint32_t source, int i) {
      return source == static_cast<std::uint32_t>(i / turn) % 4 ? 40 : 2;
    }));
  }
}

// Three of four transfers must be slow, in each quarter.
TEST(SlowPeerTest, ALinkThatIsSlowHalfOfTheTimeIsNoFinding) {
  expectHealthy(ring(4, [](std::uint32_t source, int i) {
    return source == 1 && i % 2 == 0 ? 40 : 2;
  }));
}

TEST(SlowPeerTest, ASlightDelayIsNoFinding) {
  expectHealthy(ring(4, slowFrom(1, 5)));   // twice as long
  expectHealthy(ring(4, slowFrom(1, 10)));  // 8 % of the time
  expectVerdict(ring(4, slowFrom(1, 14)), VerdictKind::kSlowPeer, {1, 2});
}

// A third of the others' transfers take twice as long as the rest of theirs.
TEST(SlowPeerTest, OnABusyMachineItMustBeSlowerThanTheOthersSlowTransfers) {
  const auto busy = [](std::int64_t slow_ms) {
    return ring(4, [=](std::uint32_t source, int i) -> std::int64_t {
      if (source == 1) return slow_ms;
      return i % 3 == 0 ? 16 : 8;
    });
  };
  expectVerdict(busy(40), VerdictKind::kSlowPeer, {1, 2});
  expectHealthy(busy(30));
}

// For an even number of links the lower median is the reference.
TEST(SlowPeerTest, FindsSlowLinksIfHalfOfAllAreSlow) {
  for (const std::uint32_t world : {4U, 52U}) {
    const Diagnosis diagnosis = ring(
        world, [](std::uint32_t source, int) { return source % 2 ? 40 : 2; },
        20);
    EXPECT_EQ(diagnosis.verdicts.size(), world / 2) << textOf(diagnosis);
  }
}

TEST(SlowPeerTest, FewMessagesProveNothing) {
  expectHealthy(ring(4, slowFrom(1), 15));
  expectVerdict(ring(4, slowFrom(1), 16), VerdictKind::kSlowPeer, {1, 2});
}

TEST(SlowPeerTest, TwoLinksCannotBeCompared) {
  expectHealthy(ring(2, slowFrom(1)));
  expectVerdict(ring(3, slowFrom(1)), VerdictKind::kSlowPeer, {1, 2});
}

TEST(SlowPeerTest, MissingTracesLowerTheConfidence) {
  const Diagnosis diagnosis = ring(8, slowFrom(1), 64, {5, 6});
  expectVerdict(diagnosis, VerdictKind::kSlowPeer, {1, 2});
  expectConfidence(diagnosis, Confidence::kLikely, Confidence::kLikely);
  expectHealthy(ring(8, slowFrom(1), 64, {4, 5, 6}));
  expectHealthy(ring(8, slowFrom(1), 64, {1}));
}

TEST(SlowPeerTest, ALateSenderIsNotSlow) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t send = rank.addMessage(true, 1, (r + 1) % 4).id();
    const std::uint32_t receive = rank.addMessage(false, 1, (r + 3) % 4).id();
    for (int i = 0; i < 64; ++i) {
      rank.end(receive, 100 * i, r == 2 ? 42 : 2);
      rank.end(send, 100 * i + (r == 1 ? 40 : 0));
    }
  }
  expectHealthy(diagnoseJob(job));
}

// The arrival of its message is unknown: the program checked much later.
TEST(SlowPeerTest, ALateWaiterIsNotSlow) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t send = rank.addMessage(true, 1, (r + 1) % 4).id();
    const std::uint32_t receive = rank.addMessage(false, 1, (r + 3) % 4).id();
    for (int i = 0; i < 64; ++i) {
      rank.end(send, 100 * i);
      rank.endLater(receive, 100 * i, 100 * i + (r == 2 ? 40 : 0), 2);
    }
  }
  expectHealthy(diagnoseJob(job));
}

TEST(SlowPeerTest, LargerMessagesAreNotCompared) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    const auto bytes = [](std::uint32_t source) {
      return std::uint64_t{source == 1 ? 1U << 20 : 1U << 10};
    };
    const std::uint32_t before = (r + 3) % 4;
    const std::uint32_t send =
        rank.addMessage(true, 1, (r + 1) % 4, bytes(r)).id();
    const std::uint32_t receive =
        rank.addMessage(false, 1, before, bytes(before)).id();
    for (int i = 0; i < 64; ++i) {
      rank.end(send, 100 * i);
      rank.end(receive, 100 * i, before == 1 ? 40 : 2);
    }
  }
  expectHealthy(diagnoseJob(job));
}

// Ranks 0 to 3 are on one host, the others on another whose clock is known to
// `within_ms`.
Diagnosis onTwoHosts(std::int64_t within_ms, std::uint32_t slow_source) {
  JobBuilder job(8);
  for (std::uint32_t r = 0; r < 8; ++r) {
    job.rank(r).stream().header().set_boot_id(r < 4 ? "near" : "far");
    job.rank(r).stream().header().set_host(r < 4 ? "near" : "far");
    RankBuilder& rank = job.rank(r);
    const std::uint32_t peer = (r + 4) % 8;
    const std::uint32_t send = rank.addMessage(true, 1, peer).id();
    const std::uint32_t receive = rank.addMessage(false, 1, peer).id();
    for (int i = 0; i < 64; ++i) {
      rank.end(send, 100 * i);
      rank.end(receive, 100 * i, peer == slow_source ? 40 : 2);
    }
  }
  const TempDir dir;
  for (std::uint32_t r = 0; r < 8; ++r) {
    writeFile(dir.path() + "/rank-" + std::to_string(r) + ".traced",
              job.rank(r).write(Ending::kClosed));
  }
  const std::vector<std::string> paths = {dir.path()};
  Result<TraceSet> set = openTraceSet(paths);
  EXPECT_TRUE(set);
  MergedClocks& clocks = set->clocks.emplace_back();
  for (std::uint32_t r = 0; r < 8; ++r) {
    v1::ClockModel& clock = clocks.models.emplace_back();
    clock.set_stream_id(job.rank(r).stream().streamId());
    clock.set_source(r < 4 ? v1::CLOCK_SOURCE_SAME_CLOCK
                           : v1::CLOCK_SOURCE_COLLECTIVES);
    if (r < 4) continue;
    v1::ClockKnot& knot = *clock.add_knot();
    knot.set_monotonic_ns(StreamBuilder::kStartNs);
    knot.set_below_ns(static_cast<std::uint64_t>(within_ms * RankBuilder::kMs));
    knot.set_above_ns(static_cast<std::uint64_t>(within_ms * RankBuilder::kMs));
  }
  return diagnose(*set, {});
}

TEST(SlowPeerTest, BetweenHostsTheClocksMustProveIt) {
  const Diagnosis diagnosis = onTwoHosts(1, 1);
  expectVerdict(diagnosis, VerdictKind::kSlowPeer, {1, 5});
  EXPECT_EQ(textOf(diagnosis).find("quick with others"), std::string::npos);
  expectHealthy(onTwoHosts(36, 1));
}

TEST(SlowPeerTest, HostsWithoutACertifiedClockProveNothing) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    job.rank(r).stream().header().set_boot_id("boot-" + std::to_string(r));
  }
  fillRing(job, slowFrom(1));
  expectHealthy(diagnoseJob(job));
}

// All other ranks finish their part of every broadcast 2 ms after the root
// joined.
TEST(SlowPeerTest, ARankThatIsSlowWithinCollectives) {
  JobBuilder job(5);
  for (std::uint32_t r = 0; r < 5; ++r) {
    RankBuilder& rank = job.rank(r);
    v1::Call& call = rank.addCall(v1::OPERATION_BROADCAST, 1);
    call.set_root_plus_1(1);
    for (int i = 0; i < 64; ++i) {
      rank.end(call.id(), 100 * i + (r == 0 ? 30 : 0),
               r == 0 ? 1 : 32 + (r == 3 ? 30 : 0));
    }
  }
  const Diagnosis diagnosis = diagnoseJob(job);
  ASSERT_FALSE(diagnosis.verdicts.empty());
  EXPECT_EQ(diagnosis.verdicts[0].kind, VerdictKind::kSlowPeer);
  EXPECT_EQ(diagnosis.verdicts[0].culprits, Ranks{3}) << textOf(diagnosis);
  EXPECT_NE(textOf(diagnosis).find(" on rank 3 takes "), std::string::npos)
      << textOf(diagnosis);
}

// Pairs of ranks, each a group of its own, run the same reductions.
TEST(SlowPeerTest, AGroupThatIsSlowerThanItsLikes) {
  JobBuilder job(8);
  for (std::uint32_t r = 0; r < 8; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t pair = rank.addGroup("tp", r / 2 * 2, 2);
    const std::uint32_t call =
        rank.addCall(v1::OPERATION_ALL_REDUCE, pair).id();
    for (int i = 0; i < 64; ++i) rank.end(call, 100 * i, r / 2 == 2 ? 40 : 2);
  }
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kSlowPeer, {4, 5});
  const JobVerdict& verdict = diagnosis.verdicts[0];
  EXPECT_EQ(diagnosis.job.catalog.groups()[verdict.group].members.at(0), 4U);
  EXPECT_EQ(verdict.op, "all_reduce");
  EXPECT_NE(textOf(diagnosis).find(" among ranks 4-5 takes "),
            std::string::npos)
      << textOf(diagnosis);
}

// A late member keeps its group waiting. This is not a slow transfer. Nor does
// it cost anything: the other groups take as long.
TEST(SlowPeerTest, AGroupWithALateMemberIsNotSlow) {
  JobBuilder job(8);
  for (std::uint32_t r = 0; r < 8; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t pair = rank.addGroup("tp", r / 2 * 2, 2);
    const std::uint32_t call =
        rank.addCall(v1::OPERATION_ALL_REDUCE, pair).id();
    for (int i = 0; i < 64; ++i) {
      rank.end(call, 100 * i + (r == 4 ? 40 : 0), r == 5 ? 42 : 2);
    }
  }
  expectHealthy(diagnoseJob(job));
}

// A consequence of a slow link is not reported as a finding of its own.
TEST(SlowPeerTest, ARankDelayedByASlowLinkIsNoStraggler) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
    const std::uint32_t send = rank.addMessage(true, 1, (r + 1) % 4).id();
    const std::uint32_t receive = rank.addMessage(false, 1, (r + 3) % 4).id();
    for (int i = 0; i < 64; ++i) {
      const std::int64_t took_ms = r == 2 ? 40 : 2;
      rank.end(send, 100 * i);
      rank.end(receive, 100 * i, took_ms);
      rank.end(call, 100 * i + took_ms, 42 - took_ms);
    }
  }
  expectVerdict(diagnoseJob(job), VerdictKind::kSlowPeer, {1, 2});
}

}  // namespace
}  // namespace traced::testing
