// Tests a ring that is followed while its process writes to it.

#include "ring_io/recovery/ring_tail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <variant>

#include "ring_io/chunks/encode_definitions.h"
#include "ring_io/recovery/ring_news.h"
#include "ring_io/ring/ring.h"
#include "ring_io/ring/segment.h"
#include "ring_io/settings/process_info.h"
#include "support/filled_ring.h"
#include "support/temp_dir.h"

namespace traced::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kTailSlots = 64;

class RingTailTest : public ::testing::Test {
 protected:
  RingTailTest()
      : segment_(Segment::create(
            dir_.path(), 77, kTailSlots,
            makeHeader(Options{}, ProcessIdentity{}, readHostInfo(), 77)
                .SerializeAsString())),
        ring_(segment_->ringMemory(), segment_->slots()) {
    segment_->setTracePath(dir_.path() + "/none.traced");
  }

  std::unique_ptr<RingTail> follow() {
    const std::vector<RingFile> rings = findRings({dir_.path()});
    EXPECT_EQ(rings.size(), 1U);
    auto tail = RingTail::open(rings.at(0));
    return **std::move(tail);
  }

  // Records the next `count` numbers. Reads and frees everything whenever the
  // ring is half full.
  void record(int count) {
    Ring::Record read;
    for (int i = 0; i < count; ++i) {
      ring_.push(RecordKind::kRelease,
                 ReleaseRecord{0, static_cast<std::int64_t>(++recorded_)});
      if (ring_.used() < kTailSlots / 2) continue;
      while (ring_.read(read)) continue;
      ring_.release();
    }
  }

  static std::vector<std::int64_t> seen(RingTail& tail) {
    std::vector<std::int64_t> numbers;
    EXPECT_TRUE(tail.poll([&](const Ring::Record& record) {
      numbers.push_back(record.as<ReleaseRecord>().release_ns);
    }));
    return numbers;
  }

  TempDir dir_;
  std::unique_ptr<Segment> segment_;
  Ring ring_;
  std::uint64_t recorded_ = 0;
};

TEST_F(RingTailTest, EachRecordIsSeenOnce) {
  record(3);
  auto tail = follow();
  EXPECT_TRUE(tail->isAlive());
  EXPECT_EQ(tail->header().stream_id(), 77U);
  EXPECT_THAT(seen(*tail), ElementsAre(1, 2, 3));
  EXPECT_THAT(seen(*tail), IsEmpty());
  record(2);
  EXPECT_THAT(seen(*tail), ElementsAre(4, 5));
  EXPECT_EQ(tail->missedSlots(), 0U);
}

TEST_F(RingTailTest, CountsRecordsOfReusedSlots) {
  record(1);
  auto tail = follow();
  EXPECT_THAT(seen(*tail), ElementsAre(1));
  record(2 * kTailSlots);
  const std::vector<std::int64_t> numbers = seen(*tail);
  EXPECT_EQ(numbers.size() + tail->missedSlots(), 2 * kTailSlots);
  EXPECT_EQ(numbers.back(), static_cast<std::int64_t>(recorded_));
}

TEST_F(RingTailTest, DoesNotCountRecordsFromBeforeItsFirstRead) {
  record(3 * kTailSlots);
  auto tail = follow();
  EXPECT_EQ(seen(*tail).size(), kTailSlots);
  EXPECT_EQ(tail->missedSlots(), 0U);
}

TEST_F(RingTailTest, AnUncommittedRecordDelaysOthersForAWhile) {
  record(1);
  auto tail = follow();
  EXPECT_THAT(seen(*tail), ElementsAre(1));
  // A record of three slots.
  ring_.control().head.fetch_add(3);
  record(1);
  EXPECT_THAT(seen(*tail), IsEmpty());
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::vector<std::int64_t> numbers;
  while (numbers.empty() && std::chrono::steady_clock::now() < deadline) {
    numbers = seen(*tail);
  }
  EXPECT_THAT(numbers, ElementsAre(2));
  EXPECT_EQ(tail->missedSlots(), 3U);
}

TEST_F(RingTailTest, ReadsTheRestOfAnUnlinkedRing) {
  auto tail = follow();
  record(2);
  segment_->unlinkFile();
  EXPECT_FALSE(tail->isAlive());
  EXPECT_THAT(seen(*tail), ElementsAre(1, 2));
}

TEST_F(RingTailTest, ConcurrentWritesAreReadOnceAndWhole) {
  auto tail = follow();
  // Read once first: records from before the first read are not counted.
  EXPECT_THAT(seen(*tail), IsEmpty());
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    while (!stop) record(100);
  });
  std::int64_t last = 0;
  std::uint64_t count = 0;
  for (int i = 0; i < 2000; ++i) {
    for (const std::int64_t number : seen(*tail)) {
      ASSERT_GT(number, last);
      last = number;
      ++count;
    }
  }
  stop = true;
  writer.join();
  for (const std::int64_t number : seen(*tail)) {
    ASSERT_GT(number, last);
    last = number;
    ++count;
  }
  EXPECT_EQ(count + tail->missedSlots(), recorded_);
}

TEST_F(RingTailTest, NewRecordsAreRowsAndTheirDefinitions) {
  fillRing(ring_);
  ring_.push(RecordKind::kMark, MarkRecord{150, 4, MarkKind::kStep});
  const std::vector<RingFile> rings = findRings({dir_.path()});
  auto opened = RingNews::open(rings.at(0));
  const std::unique_ptr<RingNews> news = **std::move(opened);
  ASSERT_TRUE(news->poll());
  const v1::Payload& definitions = news->definitions();
  EXPECT_EQ(definitions.group_size(), 1);
  EXPECT_EQ(definitions.call_size(), 1);
  EXPECT_EQ(definitions.text_size(), 1);
  int issues = 0, waits = 0;
  for (const RingRow& row : news->rows()) {
    issues += std::holds_alternative<IssueRow>(row);
    waits += std::holds_alternative<WaitRow>(row);
  }
  EXPECT_EQ(issues, 2);
  EXPECT_EQ(waits, 2);
  v1::Payload named;
  named.mutable_issued()->add_call(5);
  EXPECT_EQ(findDefinitions(news->trace(), named).call_size(), 0)
      << "there are no files";
}

}  // namespace
}  // namespace traced::testing
