// Tests sinks, the window and the queue: no sink affects another, and memory is
// bounded.

#include "ring_io/sinks/sinks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "ring_io/sinks/memory_sinks.h"

namespace traced {
namespace {

TEST(WindowTest, KeepsTheLatestWholeChunksWithinItsBound) {
  Window window(10);
  for (const char* chunk : {"aaaa", "bbbb", "cccc"}) window.append(chunk, 1);
  EXPECT_EQ(window.content(), "bbbbcccc");
}

TEST(WindowTest, KeepsTheNewestChunkHoweverLarge) {
  Window window(10);
  window.append("aaaa", 1);
  window.append("a chunk above the bound", 1);
  EXPECT_EQ(window.content(), "a chunk above the bound");
  window.append("bbbb", 1);
  EXPECT_EQ(window.content(), "bbbb");
}

TEST(WindowTest, ZeroBytesKeepNothing) {
  Window window(0);
  EXPECT_TRUE(window.append("aaaa", 1));
  EXPECT_EQ(window.content(), "");
}

TEST(QueueSinkTest, HandsOutInOrderAndEndsWhenClosedAndEmpty) {
  QueueSink queue("queue", 100);
  EXPECT_TRUE(queue.append("a", 1));
  EXPECT_TRUE(queue.append("b", 1));
  queue.close();
  EXPECT_FALSE(queue.append("c", 1));
  EXPECT_EQ(queue.take(), "a");
  EXPECT_EQ(queue.take(), "b");
  EXPECT_EQ(queue.take(), std::nullopt);
}

TEST(QueueSinkTest, DropsAndCountsBeyondItsBound) {
  QueueSink queue("queue", 4);
  EXPECT_TRUE(queue.append("above the bound, but alone", 1));
  EXPECT_FALSE(queue.append("b", 7));
  EXPECT_FALSE(queue.append("c", 8));
  EXPECT_EQ(queue.droppedChunks(), 2u);
  EXPECT_EQ(queue.droppedRecords(), 15u);
  EXPECT_EQ(queue.take(), "above the bound, but alone");
  EXPECT_TRUE(queue.append("bb", 1));
  EXPECT_TRUE(queue.append("cc", 1));
  EXPECT_FALSE(queue.append("d", 1));
}

// Each of two threads waits for the other's chunk.
TEST(QueueSinkTest, TakeBlocksUntilAChunkArrives) {
  QueueSink questions("questions", 100), answers("answers", 100);
  std::thread other([&] {
    while (const auto question = questions.take()) {
      answers.append("re: " + *question, 1);
    }
    answers.close();
  });
  for (int i = 0; i < 1000 && !HasFailure(); ++i) {
    questions.append(std::to_string(i), 1);
    EXPECT_EQ(answers.take(), "re: " + std::to_string(i));
  }
  questions.close();
  other.join();
  EXPECT_EQ(answers.take(), std::nullopt);
}

// Takes every other chunk, or throws.
class UnreliableSink : public Sink {
 public:
  explicit UnreliableSink(bool throws) : throws_(throws) {}
  bool append(const std::string& chunk, std::uint64_t) override {
    if (++calls_ % 2 == 0) {
      taken += chunk;
      return true;
    }
    if (throws_) throw std::runtime_error("a sink of the tests");
    return false;
  }
  std::string location() const override { return "unreliable"; }
  std::string taken;

 private:
  const bool throws_;
  int calls_ = 0;
};

TEST(SinksTest, AFailingSinkIsReportedOnceCountedAndAffectsNoOther) {
  Sinks sinks;
  const auto before = std::make_shared<Window>(100);
  const auto refuses = std::make_shared<UnreliableSink>(false);
  const auto throws = std::make_shared<UnreliableSink>(true);
  const auto behind = std::make_shared<Window>(100);
  sinks.add(before);
  sinks.add(refuses);
  sinks.add(throws);
  sinks.add(behind);
  ::testing::internal::CaptureStderr();
  for (const char* chunk : {"a", "b", "c", "d", "e"}) sinks.append(chunk, 1);
  const std::string stderr_text = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(before->content(), "abcde");
  EXPECT_EQ(behind->content(), "abcde");
  EXPECT_EQ(refuses->taken, "bd");
  EXPECT_EQ(throws->taken, "bd");
  EXPECT_EQ(sinks.refused(*refuses), 3u);
  EXPECT_EQ(sinks.refused(*throws), 3u);
  EXPECT_EQ(sinks.refused(*before), 0u);
  EXPECT_EQ(std::count(stderr_text.begin(), stderr_text.end(), '\n'), 2)
      << stderr_text;
}

TEST(SinksTest, ARemovedSinkGetsNoMoreChunks) {
  Sinks sinks;
  const auto window = std::make_shared<Window>(100);
  sinks.add(window);
  sinks.append("a", 1);
  sinks.remove(*window);
  sinks.append("b", 1);
  EXPECT_EQ(window->content(), "a");
}

}  // namespace
}  // namespace traced
