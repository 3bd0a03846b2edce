#include "ring_io/ring/ring.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <thread>
#include <vector>

namespace traced {
namespace {

// Provides a ring in memory of its own.
class RingTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kSlots = 64;

  void SetUp() override { makeRing(kSlots); }

  void makeRing(std::uint64_t slots) {
    memory_.reset(static_cast<char*>(
        std::aligned_alloc(kSlotBytes, Ring::bytesFor(slots))));
    std::memset(memory_.get(), 0, Ring::bytesFor(slots));
    ring_ = std::make_unique<Ring>(memory_.get(), slots);
  }

  std::uint64_t pushRelease(OpId op) {
    return ring_->push(RecordKind::kRelease, ReleaseRecord{op, 7});
  }

  OpId readOp() {
    Ring::Record record;
    EXPECT_TRUE(ring_->read(record));
    ReleaseRecord release;
    std::memcpy(&release, record.payload.data(), sizeof release);
    return release.op;
  }

  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  std::unique_ptr<char, Free> memory_;
  std::unique_ptr<Ring> ring_;
};

TEST_F(RingTest, YieldsRecordsInTheOrderOfTheirPositions) {
  for (OpId op = 0; op < 10; ++op) EXPECT_EQ(pushRelease(op), op);
  for (OpId op = 0; op < 10; ++op) EXPECT_EQ(readOp(), op);
  Ring::Record none;
  EXPECT_FALSE(ring_->read(none));
}

TEST_F(RingTest, CountsDroppedRecordsWhenFull) {
  for (std::uint64_t i = 0; i < kSlots; ++i) ASSERT_EQ(pushRelease(i), i);
  EXPECT_EQ(pushRelease(99), Ring::kFull);
  EXPECT_EQ(pushRelease(99), Ring::kFull);
  ASSERT_EQ(ring_->drops().size(), 1u);
  EXPECT_EQ(ring_->drops()[0].ring_full, 2u);
  EXPECT_EQ(ring_->drops()[0].tid, gettid());
}

TEST_F(RingTest, KeepsSlotsUntilTheyAreReleased) {
  for (std::uint64_t i = 0; i < kSlots; ++i) pushRelease(i);
  for (std::uint64_t i = 0; i < kSlots; ++i) readOp();
  EXPECT_EQ(pushRelease(99), Ring::kFull) << "read, but not yet on disk";
  ring_->release();
  EXPECT_EQ(pushRelease(99), kSlots);
  EXPECT_EQ(readOp(), 99u);
}

TEST_F(RingTest, CarriesDefinitionsOverSeveralSlotsAndAroundTheEnd) {
  // 50 positions in, a record of 800 bytes wraps around.
  for (int i = 0; i < 50; ++i) pushRelease(1);
  for (int i = 0; i < 50; ++i) readOp();
  ring_->release();
  std::string content(800, 'x');
  for (std::size_t i = 0; i < content.size(); ++i) {
    content[i] = static_cast<char>('a' + i % 26);
  }
  ASSERT_EQ(ring_->pushDefinition(RecordKind::kDefineText, {5, 6},
                                  content.data(), content.size()),
            50u);
  Ring::Record record;
  ASSERT_TRUE(ring_->read(record));
  EXPECT_EQ(record.kind, RecordKind::kDefineText);
  DefinitionHead head;
  std::memcpy(&head, record.payload.data(), sizeof head);
  EXPECT_EQ(head.id, 5u);
  EXPECT_EQ(head.cache_entry, 6u);
  EXPECT_EQ(record.payload.substr(sizeof head), content);
  EXPECT_EQ(pushRelease(3), ring_->readPosition());
  EXPECT_EQ(readOp(), 3u);
}

TEST_F(RingTest, RefusesADefinitionLargerThanAQuarter) {
  const std::string content(ring_->maxPayload() + 1, 'x');
  EXPECT_EQ(ring_->pushDefinition(RecordKind::kDefineText, {1, 1},
                                  content.data(), content.size()),
            Ring::kFull);
  EXPECT_EQ(ring_->used(), 0u);
}

TEST_F(RingTest, LosesNothingBetweenManyProducersAndOneReader) {
  makeRing(1024);
  constexpr int kThreads = 4;
  constexpr OpId kEach = 50'000;
  std::vector<std::thread> producers;
  for (OpId t = 0; t < kThreads; ++t) {
    producers.emplace_back([this, t] {
      for (OpId i = 0; i < kEach; ++i) {
        while (pushRelease(t * kEach + i) == Ring::kFull) {
          std::this_thread::yield();
        }
      }
    });
  }
  std::map<OpId, OpId> next;  // per producer, its records stay in order
  Ring::Record record;
  for (OpId seen = 0; seen < kThreads * kEach;) {
    if (!ring_->read(record)) {
      ring_->release();
      std::this_thread::yield();
      continue;
    }
    ReleaseRecord release;
    std::memcpy(&release, record.payload.data(), sizeof release);
    ASSERT_EQ(release.op % kEach, next[release.op / kEach]++);
    ++seen;
  }
  for (std::thread& producer : producers) producer.join();
}

}  // namespace
}  // namespace traced
