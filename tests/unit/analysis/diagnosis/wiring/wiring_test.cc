// Tests groups that may connect other ranks than those that they name.

#include <gtest/gtest.h>

#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

constexpr std::int64_t kLongMs = 60'000;

v1::Group& groupOf(RankBuilder& rank, std::uint32_t id) {
  return *rank.stream().payload().mutable_group(static_cast<int>(id) - 1);
}

// Four ranks, and groups of two of which each rank made only its own. c10d
// numbers the names, so both are "1".
JobBuilder jobOfOwnGroups() {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    groupOf(job.rank(r), 1).set_desc("default_pg");
    job.rank(r).addGroup("ep", r / 2 * 2, 2);
  }
  return job;
}

std::uint32_t addReduce(RankBuilder& rank, std::uint32_t group = 2) {
  return rank.addCall(v1::OPERATION_ALL_REDUCE, group).id();
}

TEST(WiringTest, OneNameOfTwoMemberListsIsCertain) {
  JobBuilder job = jobOfOwnGroups();
  job.all([](RankBuilder& rank) { rank.end(addReduce(rank), 0); });
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kSharedGroupName, {});
  EXPECT_STREQ(nameOf(diagnosis.verdicts[0].finding), "certain");
  EXPECT_EQ(summaryAt(diagnosis, 0),
            "c10d gave the name \"1\" to \"ep\" (ranks 0-1) and \"ep#2\" "
            "(ranks 2-3).");
}

// Every rank called new_group() for both groups, so c10d counted both.
TEST(WiringTest, GroupsThatAllRanksMadeHaveNoFinding) {
  JobBuilder job = jobOfOwnGroups();
  for (std::uint32_t r = 0; r < 4; ++r) {
    groupOf(job.rank(r), 2).set_name(r < 2 ? "1" : "2");
    job.rank(r).end(addReduce(job.rank(r)), 0);
  }
  expectHealthy(diagnoseJob(job));
}

TEST(WiringTest, HashedNamesHaveNoFinding) {
  JobBuilder job = jobOfOwnGroups();
  job.all([](RankBuilder& rank) { groupOf(rank, 2).set_name("1f3a"); });
  expectHealthy(diagnoseJob(job));
}

// c10d counts from 0 again after the world was destroyed and recreated.
TEST(WiringTest, EachWorldHasNamesOfItsOwn) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    groupOf(rank, 1).set_desc("default_pg");
    if (r < 2) rank.addGroup("ep", 0, 2);
    rank.addGroup("default_pg", 0, 4);
    if (r >= 2) groupOf(rank, rank.addGroup("ep", 2, 2)).set_name("1");
  }
  expectHealthy(diagnoseJob(job));
}

// NCCL may split the world's communicator: each rank names only its own group,
// and all ranks call.
TEST(WiringTest, APossibleCommunicatorSplitHasNoFinding) {
  JobBuilder job = jobOfOwnGroups();
  job.all([](RankBuilder& rank) { groupOf(rank, 2).set_backend("nccl"); });
  expectHealthy(diagnoseJob(job));
}

TEST(WiringTest, ACollectiveThatEndedBeforeAMemberCalledItIsCertain) {
  JobBuilder job(2);
  for (int i = 0; i < 3; ++i) {
    job.rank(0).end(addReduce(job.rank(0), 1), 10 * i);
    job.rank(1).end(addReduce(job.rank(1), 1), 2000 + 10 * i);
  }
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kEndedUnjoined, {});
  EXPECT_STREQ(nameOf(diagnosis.verdicts[0].finding), "certain");
  const std::string text = textOf(diagnosis);
  EXPECT_NE(text.find("all_reduce #1 of \"dp\" ended on rank 0 2.00 s before "
                      "rank 1 called it."),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("3 collectives of the group ended like that."),
            std::string::npos)
      << text;
}

// A call that throws uses up a number without any peer. From then on equal
// numbers do not mean the same collective.
TEST(WiringTest, AfterAFailureNumbersProveNothing) {
  JobBuilder job(2);
  job.rank(0).fail(addReduce(job.rank(0), 1), 0, 1, "boom");
  job.rank(0).end(addReduce(job.rank(0), 1), 10);
  job.rank(1).end(addReduce(job.rank(1), 1), 10);
  job.rank(1).end(addReduce(job.rank(1), 1), 2000);
  for (const JobVerdict& verdict : diagnoseJob(job).verdicts) {
    EXPECT_STRNE(nameOf(verdict.kind), "ended_unjoined");
  }
}

TEST(WiringTest, BeforeAFailureNumbersAreSure) {
  JobBuilder job(2);
  job.rank(0).end(addReduce(job.rank(0), 1), 0);
  job.rank(0).end(addReduce(job.rank(0), 1), 10);
  job.rank(1).fail(addReduce(job.rank(1), 1), 2000, 1, "timed out");
  const Diagnosis diagnosis = diagnoseJob(job);
  ASSERT_FALSE(diagnosis.verdicts.empty());
  EXPECT_EQ(diagnosis.verdicts[0].kind, VerdictKind::kEndedUnjoined);
  EXPECT_EQ(diagnosis.verdicts[0].finding, Confidence::kCertain);
}

// A broadcast's root need not wait for anybody.
TEST(WiringTest, AnOperationThatEndsWithoutAllRanksHasNoFinding) {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    v1::Call& call = job.rank(r).addCall(v1::OPERATION_BROADCAST, 1);
    call.set_root_plus_1(1);
    job.rank(r).end(call.id(), r * 500);
  }
  expectHealthy(diagnoseJob(job));
}

TEST(WiringTest, AHangInAGroupOfDoubtfulWiringIsNeverCertain) {
  JobBuilder job = jobOfOwnGroups();
  for (std::uint32_t r = 0; r < 4; ++r) {
    const std::uint32_t call = addReduce(job.rank(r));
    if (r < 2) {
      job.rank(r).end(call, 0);
    } else {
      job.rank(r).hang(call, 0);
    }
    job.rank(r).live(kLongMs);
  }
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kCut);
  ASSERT_EQ(diagnosis.verdicts.size(), 2U) << textOf(diagnosis);
  EXPECT_EQ(diagnosis.verdicts[0].kind, VerdictKind::kSharedGroupName);
  EXPECT_EQ(diagnosis.verdicts[1].kind, VerdictKind::kHungIn);
  EXPECT_EQ(diagnosis.verdicts[1].finding, Confidence::kLikely);
  EXPECT_NE(textOf(diagnosis).find("Which ranks \"ep#2\" connects is in doubt"),
            std::string::npos)
      << textOf(diagnosis);
}

TEST(WiringTest, AMemberOfADoubtfulGroupIsNotBlamedElsewhere) {
  for (const bool is_doubtful : {true, false}) {
    JobBuilder job = jobOfOwnGroups();
    if (!is_doubtful) {
      for (const std::uint32_t r : {2, 3})
        groupOf(job.rank(r), 2).set_name("2");
    }
    job.allBut(3, [](RankBuilder& rank) { rank.hang(addReduce(rank, 1), 0); });
    job.all([](RankBuilder& rank) { rank.live(kLongMs); });
    const Diagnosis diagnosis = diagnoseJob(job, Ending::kCut);
    const JobVerdict& hang = diagnosis.verdicts.back();
    EXPECT_EQ(hang.kind, VerdictKind::kNeverJoined) << textOf(diagnosis);
    EXPECT_EQ(hang.culprit,
              is_doubtful ? Confidence::kUndecided : Confidence::kLikely)
        << textOf(diagnosis);
  }
}

// Rank 0 made one more group before, so it knows the same group by another
// name.
TEST(WiringTest, AGroupOfSeveralNamesIsDoubted) {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t group = rank.addGroup("eval", 0, 2);
    groupOf(rank, group).set_name(r == 0 ? "2" : "1");
    rank.hang(addReduce(rank, group), 0);
    rank.live(kLongMs);
  }
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kCut);
  expectVerdict(diagnosis, VerdictKind::kHungIn, {0, 1});
  EXPECT_EQ(diagnosis.verdicts[0].finding, Confidence::kLikely);
  EXPECT_NE(textOf(diagnosis).find(
                "has several c10d names: \"1\" on rank 1, \"2\" on rank 0."),
            std::string::npos)
      << textOf(diagnosis);
}

}  // namespace
}  // namespace traced::testing
