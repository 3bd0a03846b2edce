// Tests the limits on what one host sends to another.

#include "cli/serve/hosts/digest_bounds.h"

#include <gtest/gtest.h>

#include "unit/cli/serve/hosts/made_digest.h"

namespace traced {
namespace {

v1::HostDigest digestOf(v1::JobDigest job) {
  v1::HostDigest digest;
  digest.set_host("node1");
  digest.set_instance(7);
  *digest.add_jobs() = std::move(job);
  return digest;
}

TEST(DigestBoundsTest, WrittenDigestsAreAccepted) {
  const v1::HostDigest made = digestOf(madeJob({0, 1}, 4));
  const auto read = readDigest(writeDigest(made).bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->host(), "node1");
  ASSERT_EQ(read->jobs_size(), 1);
  EXPECT_EQ(read->jobs(0).SerializeAsString(),
            made.jobs(0).SerializeAsString());
  EXPECT_EQ(read->left_out_groups(), 0U);
}

TEST(DigestBoundsTest, GroupsOfThisHostAloneAreLeftOutFirst) {
  v1::JobDigest job = madeJob({0, 1}, 2);
  const v1::GroupDigest within = job.groups(0);
  for (int i = 0; i < 5000; ++i) *job.add_groups() = within;
  *job.add_groups() = madeJob({0, 1}, 4).groups(0);
  const WrittenDigest written = writeDigest(digestOf(job));
  const auto read = readDigest(written.bytes);
  ASSERT_TRUE(read);
  EXPECT_GT(written.left_out_groups, 0U);
  EXPECT_EQ(written.left_out_groups, read->left_out_groups());
  EXPECT_EQ(read->jobs(0).groups(0).group().size(), 4U);
  EXPECT_EQ(read->left_out_groups() +
                static_cast<std::uint32_t>(read->jobs(0).groups_size()),
            5002U);
  EXPECT_GT(read->jobs(0).groups_size(), 1000);
}

TEST(DigestBoundsTest, TextsEndWithACharacter) {
  EXPECT_EQ(boundedText("short"), "short");
  const std::string text = std::string(kMaxDigestText - 1, 'x') + "\u00e9";
  EXPECT_EQ(boundedText(text), std::string(kMaxDigestText - 1, 'x'));
}

TEST(DigestBoundsTest, RefusesInvalidBytes) {
  EXPECT_FALSE(readDigest("<html>"));
  EXPECT_FALSE(readDigest(std::string(kMaxDigestBytes + 1, '\0')));
  v1::HostDigest other = digestOf(madeJob({0, 1}, 4));
  other.set_version(2);
  EXPECT_EQ(readDigest(other.SerializeAsString()).error().message,
            "it is of version 2, and this tracectl reads 1: run one release "
            "on all hosts");
}

// Every invalid field of a digest, one at a time.
TEST(DigestBoundsTest, RefusesDigestsBeyondTheLimits) {
  using Change = void (*)(v1::GroupDigest&);
  for (const Change change : {
           Change([](v1::GroupDigest& group) { group.add_rank(9); }),
           Change([](v1::GroupDigest& group) {
             group.set_label(std::string(kMaxDigestText + 1, 'x'));
           }),
           Change([](v1::GroupDigest& group) {
             group.mutable_group()->set_size(5);
           }),
           Change([](v1::GroupDigest& group) {
             for (int i = 0; i < 129; ++i) group.mutable_order()->add_latest(1);
           }),
           Change([](v1::GroupDigest& group) {
             for (int i = 0; i < 1025; ++i) {
               group.mutable_divergence()->add_parts();
             }
           }),
           Change([](v1::GroupDigest& group) {
             group.add_waiting()->set_site(
                 std::string(kMaxDigestText + 1, 'x'));
           }),
       }) {
    v1::HostDigest digest = digestOf(madeJob({0, 1}, 4));
    digest.set_version(1);
    ASSERT_TRUE(readDigest(digest.SerializeAsString()));
    change(*digest.mutable_jobs(0)->mutable_groups(0));
    EXPECT_FALSE(readDigest(digest.SerializeAsString()));
  }
}

}  // namespace
}  // namespace traced
