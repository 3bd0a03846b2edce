// Tests the combined view of the digests of several hosts.

#include "cli/serve/hosts/hosts_job.h"

#include <gtest/gtest.h>

#include "cli/serve/live_findings.h"
#include "unit/cli/serve/hosts/made_digest.h"

namespace traced {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

void addPart(v1::JobDigest& job, std::uint64_t seq, std::uint32_t rank,
             std::uint64_t signature) {
  v1::Divergence& divergence = *job.mutable_groups(0)->mutable_divergence();
  divergence.set_seq(seq);
  v1::Divergence::Part& part = *divergence.add_parts();
  part.set_rank(rank);
  part.set_signature(signature);
  part.set_call(signature == 1 ? "all_reduce" : "barrier");
}

TEST(HostsJobTest, RanksOfOneRendezvousAreOneJob) {
  const v1::JobDigest one = madeJob({0, 1}, 4);
  HostsJob job;
  job.add("node0", one);
  EXPECT_TRUE(job.mayTake(madeJob({2, 3}, 4)));
  EXPECT_FALSE(job.mayTake(madeJob({1, 2}, 4))) << "rank 1 is here";
  EXPECT_FALSE(job.mayTake(madeJob({2, 3}, 8)));
}

TEST(HostsJobTest, RanksOfOneStartAreOneJobDespiteAttemptCounts) {
  v1::JobDigest one = madeJob({0, 1}, 4);
  one.mutable_header()->mutable_rendezvous()->set_start("a");
  HostsJob job;
  job.add("node0", one);
  v1::JobDigest other = madeJob({2, 3}, 4);
  other.mutable_header()->mutable_rendezvous()->set_start("a");
  other.mutable_header()->set_attempt(1);
  EXPECT_TRUE(job.mayTake(other));
  other.mutable_header()->set_attempt(one.header().attempt());
  other.mutable_header()->mutable_rendezvous()->set_start("b");
  EXPECT_FALSE(job.mayTake(other));
}

TEST(HostsJobTest, WithoutProofRanksAreSeparateJobs) {
  const v1::JobDigest one = madeJob({0, 1}, 4);
  HostsJob job;
  job.add("node0", one);
  v1::JobDigest other = madeJob({2, 3}, 4);
  other.mutable_header()->set_attempt(1);
  EXPECT_FALSE(job.mayTake(other));
  other = madeJob({2, 3}, 4);
  other.mutable_header()->mutable_rendezvous()->set_port(29501);
  EXPECT_FALSE(job.mayTake(other));
  other.mutable_header()->mutable_rendezvous()->set_port(0);
  EXPECT_FALSE(job.mayTake(other)) << "it does not tell where";
  other = madeJob({2, 3}, 4);
  other.mutable_header()->mutable_rendezvous()->clear_address();
  EXPECT_FALSE(job.mayTake(other)) << "any host has such a port";
  other = madeJob({2, 3}, 4);
  other.mutable_ranks(1)->set_started_ns(62 * kSecond);
  EXPECT_FALSE(job.mayTake(other)) << "an earlier run may have met there";
}

TEST(HostsJobTest, FindsADivergenceBetweenHosts) {
  v1::JobDigest one = madeJob({0, 1}, 4), other = madeJob({2, 3}, 4);
  addPart(one, 5, 0, 1);
  addPart(one, 5, 1, 1);
  HostsJob job;
  job.add("node0", one);
  EXPECT_EQ(job.groups()[0].divergedAt(), 0U);
  addPart(other, 5, 2, 2);
  job.add("node1", other);
  ASSERT_EQ(job.groups().size(), 1U);
  EXPECT_EQ(job.groups()[0].divergedAt(), 5U);
  std::vector<HostsJob> jobs;
  jobs.push_back(std::move(job));
  const auto findings = findingsOf(jobs);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].text,
            "run42: operation #5 of dp differs between ranks: "
            "rank 2 calls barrier; ranks 0-1 call all_reduce");
}

TEST(HostsJobTest, ReportsWhichRanksWaitOnAllHosts) {
  v1::JobDigest one = madeJob({0, 1}, 6), other = madeJob({2, 3}, 6);
  v1::Waiting& waiting = *one.mutable_groups(0)->add_waiting();
  waiting.set_seq(11);
  waiting.set_op("all_reduce");
  waiting.set_waiting_ns(5 * kSecond);
  waiting.add_ranks(1);
  *other.mutable_groups(0)->add_waiting() = waiting;
  other.mutable_groups(0)->mutable_waiting(0)->set_ranks(0, 3);
  other.mutable_groups(0)->mutable_waiting(0)->set_waiting_ns(7 * kSecond);
  std::vector<HostsJob> jobs(1);
  jobs[0].add("node0", one);
  jobs[0].add("node1", other);
  const auto findings = findingsOf(jobs);
  ASSERT_EQ(findings.size(), 1U);
  const Json& json = findings[0].json;
  EXPECT_EQ(json["waiting"], Json::array({1, 3}));
  // The last call of rank 0 is 10, and that of rank 2 is 12.
  EXPECT_EQ(json["not_called"], Json::array({0}));
  EXPECT_EQ(json["on_other_hosts"], Json::array({4, 5}));
  EXPECT_EQ(json["waiting_ns"], 7 * kSecond);
}

TEST(HostsJobTest, GroupsOfTheSameNameStaySeparate) {
  v1::JobDigest one = madeJob({0, 1}, 4), other = madeJob({2, 3}, 4);
  one.mutable_groups(0)->mutable_group()->set_size(2);
  one.mutable_groups(0)->mutable_group()->mutable_member(0)->set_count(2);
  HostsJob job;
  job.add("node0", one);
  job.add("node1", other);
  ASSERT_EQ(job.groups().size(), 2U);
  EXPECT_EQ(job.groups()[0].label, "dp");
  EXPECT_EQ(job.groups()[1].label, "dp#2");
}

}  // namespace
}  // namespace traced
