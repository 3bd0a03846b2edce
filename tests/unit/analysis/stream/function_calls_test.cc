#include "analysis/stream/function_calls.h"

#include <gtest/gtest.h>

#include "analysis/reading/stream_assembler.h"
#include "support/stream_builder.h"

namespace traced {
namespace {

using testing::StreamBuilder;

constexpr std::int64_t kNs = StreamBuilder::kStartNs;

class FunctionCallsTest : public ::testing::Test {
 protected:
  FunctionCallsTest() : stream_(0) { stream_.addGroup("dp", 0, 2); }

  void add(std::uint64_t call, v1::FunctionEvent event, std::int64_t at_ns,
           std::uint32_t function = 0, std::uint32_t group = 0) {
    rows_.push_back({.position = rows_.size(),
                     .at_ns = kNs + at_ns,
                     .call = call,
                     .event = event,
                     .function = function,
                     .group = group});
  }

  std::vector<GroupSetup> setups() {
    StreamAssembler assembler(stream_.header());
    v1::Payload payload = stream_.payload();
    assembler.add(payload);
    StreamTable table = std::move(assembler).finish();
    table.functions = rows_;
    return groupSetups(table);
  }

  StreamBuilder stream_;
  std::vector<FunctionRow> rows_;
};

TEST_F(FunctionCallsTest, HasBothEndsTheBarrierAndTheGroup) {
  const std::uint32_t function = stream_.addText("new_group");
  add(7, v1::FUNCTION_EVENT_CREATION_BEGAN, 0, function);
  add(7, v1::FUNCTION_EVENT_BARRIER_BEGAN, 10);
  add(7, v1::FUNCTION_EVENT_BARRIER_ENDED, 25);
  add(7, v1::FUNCTION_EVENT_CREATION_ENDED, 30, 0, 1);
  const auto found = setups();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].function, "new_group");
  EXPECT_EQ(between(found[0].began, found[0].ended), 30u);
  EXPECT_EQ(found[0].barrier_ns, 15u);
  EXPECT_EQ(found[0].groups, (std::vector<std::uint32_t>{0}));
  EXPECT_FALSE(found[0].failed);
}

TEST_F(FunctionCallsTest, TellsCallsOfSeveralThreadsApart) {
  add(1, v1::FUNCTION_EVENT_CREATION_BEGAN, 0);
  add(2, v1::FUNCTION_EVENT_CREATION_BEGAN, 5);
  add(1, v1::FUNCTION_EVENT_CREATION_FAILED, 20);
  const auto found = setups();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].failed);
  EXPECT_EQ(between(found[0].began, found[0].ended), 20u);
  EXPECT_FALSE(found[1].ended.known());
}

// The begin may be in a chunk that was lost, or be recorded again.
TEST_F(FunctionCallsTest, NeedsOneBegin) {
  add(1, v1::FUNCTION_EVENT_CREATION_ENDED, 5);
  add(2, v1::FUNCTION_EVENT_CREATION_BEGAN, 10);
  add(2, v1::FUNCTION_EVENT_CREATION_BEGAN, 20);
  add(2, v1::FUNCTION_EVENT_CREATION_ENDED, 30, 0, 99);
  const auto found = setups();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(between(found[0].began, found[0].ended), 20u);
  EXPECT_TRUE(found[0].groups.empty());
}

TEST_F(FunctionCallsTest, ObjectCollectivesHaveATimeOnceTheyEnded) {
  add(1, v1::FUNCTION_EVENT_OBJECTS_BEGAN, 10);
  add(2, v1::FUNCTION_EVENT_OBJECTS_BEGAN, 20);
  add(1, v1::FUNCTION_EVENT_OBJECTS_ENDED, 45);
  add(3, v1::FUNCTION_EVENT_OBJECTS_ENDED, 50);
  EXPECT_TRUE(setups().empty());
  StreamTable table;
  table.functions = rows_;
  const auto took_ns = objectCallsNs(table);
  EXPECT_EQ(took_ns.size(), 1u);
  EXPECT_EQ(took_ns.at(1), 35u);
}

}  // namespace
}  // namespace traced
