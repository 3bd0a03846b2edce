#include "analysis/job/held_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace traced {
namespace {

using Window = UnseenWaits::Window;
using Span = std::pair<std::int64_t, std::int64_t>;

AssembledOperation operation(std::int64_t issued, std::int64_t returned) {
  AssembledOperation op;
  op.issued = Instant(issued);
  op.returned = Instant(returned);
  return op;
}

AssembledOperation waitedFor(std::int64_t issued, std::int64_t returned,
                             std::int64_t began, std::int64_t ended) {
  AssembledOperation op = operation(issued, returned);
  op.wait_began = Instant(began);
  op.wait_ended = Instant(ended);
  return op;
}

std::uint64_t atMostNs(const StreamTable& table, std::vector<Window> windows) {
  return UnseenWaits(table).atMostNs(windows);
}

TEST(UnseenWaitsTest, WindowsThatOverlapCountOnce) {
  const StreamTable table;
  EXPECT_EQ(atMostNs(table, {}), 0u);
  EXPECT_EQ(atMostNs(table, {{30, 50}, {10, 20}, {15, 25}, {12, 18}}), 35u);
}

TEST(UnseenWaitsTest, ATimeThatIsSeenIsInNoOtherWait) {
  StreamTable table;
  table.operations.push_back(waitedFor(10, 12, 12, 20));
  table.operations.push_back(operation(30, 31));
  EXPECT_EQ(atMostNs(table, {{5, 40}}), 35u - 10 - 1);
  EXPECT_EQ(atMostNs(table, {{12, 18}}), 0u);
  EXPECT_EQ(atMostNs(table, {{15, 25}, {28, 35}}), 5u + 6);
}

// Compares with a slow and simple count, second by second.
TEST(UnseenWaitsTest, FindsWhatIsNotSeenOfAnyWindows) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    const auto window = [&random]() -> Window {
      const auto begin = static_cast<std::int64_t>(random() % 90);
      return {begin, begin + static_cast<std::int64_t>(random() % 20)};
    };
    std::vector<bool> seen(200), unseen(200);
    StreamTable table;
    for (unsigned i = random() % 6; i > 0; --i) {
      const Window call = window(), wait = window();
      table.operations.push_back(
          waitedFor(call.begin_ns, call.end_ns, wait.begin_ns, wait.end_ns));
      for (const Window& time : {call, wait}) {
        std::fill(seen.begin() + time.begin_ns, seen.begin() + time.end_ns,
                  true);
      }
    }
    std::vector<Window> windows;
    for (unsigned i = random() % 6; i > 0; --i) {
      windows.push_back(window());
      std::fill(unseen.begin() + windows.back().begin_ns,
                unseen.begin() + windows.back().end_ns, true);
    }
    std::uint64_t expected = 0;
    for (std::size_t at = 0; at < seen.size(); ++at) {
      expected += unseen[at] && !seen[at];
    }
    ASSERT_EQ(atMostNs(table, windows), expected) << "round " << round;
  }
}

TEST(UnseenWaitsTest, AWindowCoversEveryPossibleWait) {
  StreamTable table;
  table.last = Instant(90);
  AssembledOperation op = operation(10, 12);
  const auto window = [&]() -> Span {
    const Window found = UnseenWaits::windowOf(op, table);
    return {found.begin_ns, found.end_ns};
  };
  op.released = Instant(13);  // a future may exist
  EXPECT_EQ(window(), Span(12, 90));
  op.ended = Instant(40);
  EXPECT_EQ(window(), Span(12, 40));
  op.returned = Instant();
  EXPECT_EQ(window(), Span(10, 40));
}

TEST(UnseenWaitsTest, FinishedOrAwaitedOperationsHaveNoUnseenWait) {
  const StreamTable table;
  const Batches batches(table);
  const auto has = [&](const AssembledOperation& op) {
    return hasUnseenWait(op, table, batches);
  };
  AssembledOperation op = operation(10, 12);
  EXPECT_TRUE(has(op));
  op.ended = Instant(40);
  EXPECT_TRUE(has(op));
  op.failed = true;  // a waiter was blocked until then
  EXPECT_TRUE(has(op));
  op.ended = Instant(11);
  EXPECT_FALSE(has(op));
  op.ended = Instant();
  EXPECT_FALSE(has(op)) << "its call threw";
  EXPECT_FALSE(has(waitedFor(10, 12, 13, 20)));
}

}  // namespace
}  // namespace traced
