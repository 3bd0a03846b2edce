#include "analysis/match/message_order.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

using Numbers = std::vector<std::uint64_t>;

// A receive of message `number` (0: from any source), active from `issue_ns` to
// `end_ns`.
ReceivedMessage receive(std::uint64_t number, std::int64_t issue_ns,
                        std::int64_t end_ns, std::int32_t tag = 0) {
  return {.number = number,
          .tag = tag,
          .issue_ns = issue_ns,
          .end_ns = end_ns,
          .unresolved = false};
}

const std::vector<SentMessage> kThree = {{1, 0}, {2, 0}, {3, 0}};

TEST(MessageOrder, ReceivesFromAnySourceTakeMessagesInOrder) {
  EXPECT_EQ(
      messagesTaken(kThree, {receive(0, 10, 20), receive(0, 12, 30)}, true),
      (Numbers{1, 2}));
}

TEST(MessageOrder, OneFromAnySourceMovesTheNumbersAfterIt) {
  EXPECT_EQ(
      messagesTaken(
          kThree, {receive(1, 10, 20), receive(0, 20, 30), receive(2, 30, 40)},
          true),
      (Numbers{1, 2, 3}));
}

// The backend decides which receive takes which message.
TEST(MessageOrder, ConcurrentReceivesOfTwoKindsAreUndecided) {
  EXPECT_EQ(
      messagesTaken(
          kThree, {receive(0, 10, 30), receive(1, 20, 40), receive(2, 40, 50)},
          true),
      (Numbers{0, 0, 3}));
}

// While its source is unknown it may belong to this pair.
TEST(MessageOrder, NothingIsMatchedAfterAnUnknownSource) {
  std::vector<ReceivedMessage> receives = {
      receive(0, 10, 20), receive(0, 20, 30), receive(0, 30, 40)};
  receives[1].unresolved = true;
  EXPECT_EQ(messagesTaken(kThree, receives, true), (Numbers{1, 0, 0}));
}

TEST(MessageOrder, TagsAreInOrderEachForItself) {
  EXPECT_EQ(messagesTaken({{1, 7}, {2, 8}, {3, 7}},
                          {receive(1, 10, 20, 8), receive(2, 20, 30, 7),
                           receive(3, 30, 40, 7)},
                          true),
            (Numbers{2, 1, 3}));
}

TEST(MessageOrder, AReceiveOfWhatWasNeverSentTookNothing) {
  EXPECT_EQ(
      messagesTaken({{1, 0}}, {receive(0, 10, 20), receive(1, 20, 30)}, true),
      (Numbers{1, 0}));
}

// A number identifies a message only if both sides gave it the same tag.
TEST(MessageOrder, WithLossesOnlyNumbersOfOneTagMatch) {
  const std::vector<SentMessage> sends = {{1, 7}, {2, 8}};
  const std::vector<ReceivedMessage> receives = {receive(1, 10, 20, 7),
                                                 receive(2, 20, 30, 7)};
  EXPECT_EQ(messagesTaken(sends, receives, false), (Numbers{1, 0}));
}

TEST(MessageOrder, WithLossesAReceiveFromAnySourceLeavesNoMatch) {
  const std::vector<ReceivedMessage> receives = {receive(1, 10, 20),
                                                 receive(0, 20, 30)};
  EXPECT_EQ(messagesTaken(kThree, receives, false), (Numbers{0, 0}));
}

// Missing first messages of a side count as a loss.
TEST(MessageOrder, ANumberingThatDoesNotBeginAtOneIsIncomplete) {
  EXPECT_EQ(messagesTaken({{2, 0}, {3, 0}}, {receive(0, 10, 20)}, true),
            (Numbers{0}));
  EXPECT_EQ(
      messagesTaken(kThree, {receive(2, 10, 20), receive(0, 20, 30)}, true),
      (Numbers{0, 0}));
}

}  // namespace
}  // namespace traced
