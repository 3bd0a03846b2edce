#include "analysis/digest/stream_facts.h"

#include <gtest/gtest.h>

#include "analysis/reading/stream_assembler.h"
#include "support/stream_builder.h"

namespace traced {
namespace {

// The second one of these ranks, of which the rank is the last but one.
TEST(StreamFactsTest, AGroupIsInADigestAsItWas) {
  testing::StreamBuilder stream(4, 8);
  v1::Group& told = stream.addGroup("tp", 1, 3);
  told.mutable_member(0)->set_stride(3);
  told.set_group_rank(1);
  told.set_nth(1);
  told.set_left_out(true);
  told.set_backend_class("acme::Backend");
  StreamAssembler assembler(stream.header());
  v1::Payload chunk = stream.payload();
  assembler.add(chunk);
  const StreamTable table = std::move(assembler).finish();

  v1::Payload digest;
  setFacts(table, stream.header(), digest);
  const StreamTable read = readFacts(digest).table;
  ASSERT_EQ(read.definitions.groups().size(), 1u);
  const GroupDefinition& group = read.definitions.groups()[0];
  EXPECT_EQ(group.name, "0");
  EXPECT_EQ(group.desc, "tp");
  EXPECT_EQ(group.backend, "gloo");
  EXPECT_EQ(group.leg, "cpu");
  EXPECT_EQ(group.members.text(), "1-7/3");
  EXPECT_EQ(group.group_rank, 1u);
  EXPECT_EQ(group.nth, 1u);
  EXPECT_TRUE(group.left_out);
  EXPECT_EQ(group.backend_class, "acme::Backend");
}

}  // namespace
}  // namespace traced
