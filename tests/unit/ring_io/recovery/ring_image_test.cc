#include "ring_io/recovery/ring_image.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ring_io/ring/ring.h"

namespace traced {
namespace {

// Provides a ring of a process that "dies" when image() is taken.
class RingImageTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kSlots = 64;

  RingImageTest()
      : memory_(Ring::bytesFor(kSlots) / sizeof(RingSlot)),
        ring_(memory_.data(), kSlots) {}

  void push(OpId op) { ring_.push(RecordKind::kRelease, ReleaseRecord{op, 7}); }
  // Simulates a thread that claims slots and dies before it commits its record.
  void claim(std::uint64_t slots) { ring_.control().head.fetch_add(slots); }
  void drain() {
    Ring::Record record;
    while (ring_.read(record)) continue;
  }

  RingImage image() const {
    return RingImage(
        {reinterpret_cast<const char*>(memory_.data()), Ring::bytesFor(kSlots)},
        kSlots);
  }

  // Returns the operations of the committed releases from `position` on.
  std::vector<OpId> opsFrom(std::uint64_t position) {
    cursor_ = {position};
    std::vector<OpId> ops;
    Ring::Record record;
    const RingImage ring = image();
    EXPECT_TRUE(ring.valid());
    while (ring.next(cursor_, record)) {
      if (record.kind != RecordKind::kRelease) continue;
      ReleaseRecord release;
      std::memcpy(&release, record.payload.data(), sizeof release);
      ops.push_back(release.op);
    }
    return ops;
  }

  std::vector<RingSlot> memory_;
  Ring ring_;
  RingImage::Cursor cursor_;
};

using Ops = std::vector<OpId>;

TEST_F(RingImageTest, ReadsRecordsAroundAHole) {
  push(1);
  claim(1);
  push(2);
  claim(3);
  push(3);
  EXPECT_EQ(opsFrom(0), (Ops{1, 2, 3}));
  EXPECT_EQ(cursor_.unfinished_slots, 4u);
  EXPECT_EQ(cursor_.position, image().head());
}

TEST_F(RingImageTest, AHoleInThisLapHidesTheRecordOfTheLapBefore) {
  for (OpId op = 0; op < kSlots; ++op) push(op);
  drain();
  ring_.release();
  claim(2);
  push(100);
  EXPECT_EQ(opsFrom(kSlots), Ops{100});
}

// An unfinished definition may contain arbitrary bytes.
TEST_F(RingImageTest, TheInsideOfAnUnfinishedDefinitionIsNoRecord) {
  const std::string content(300, '\1');
  ring_.pushDefinition(RecordKind::kDefineText, {1, 1}, content.data(),
                       content.size());
  memory_[sizeof(RingControl) / sizeof(RingSlot)].commit = 0;  // not yet
  push(5);
  EXPECT_EQ(opsFrom(0), Ops{5});
  EXPECT_EQ(cursor_.broken_records, 0u);
  EXPECT_EQ(cursor_.unfinished_slots, 6u);
}

TEST_F(RingImageTest, ReadsDefinitionsAroundTheEnd) {
  for (int i = 0; i < 60; ++i) push(1);
  drain();
  ring_.release();
  const std::string content(400, 'x');
  ring_.pushDefinition(RecordKind::kDefineText, {1, 1}, content.data(),
                       content.size());
  cursor_ = {60};
  Ring::Record record;
  ASSERT_TRUE(image().next(cursor_, record));
  EXPECT_EQ(record.payload.substr(sizeof(DefinitionHead)), content);
}

TEST_F(RingImageTest, KeepsFreedRecordsUntilTheirSlotsAreReused) {
  for (OpId op = 0; op < 10; ++op) push(op);
  drain();
  ring_.release(4);
  EXPECT_EQ(image().tail(), 10u);
  EXPECT_EQ(image().refused(), 4u);
  EXPECT_EQ(opsFrom(7), (Ops{7, 8, 9}));
}

TEST_F(RingImageTest, KnowsTheCountThatBelongsToTail) {
  for (std::uint64_t refused = 1; refused < 5; ++refused) {
    push(refused);
    drain();
    ring_.release(refused);
    EXPECT_EQ(image().refused(), refused);
  }
  ring_.release(99);  // nothing read since
  EXPECT_EQ(image().refused(), 4u);
}

TEST_F(RingImageTest, PassesOverImpossibleRecords) {
  push(1);
  push(2);
  push(3);
  RingSlot& second = memory_[sizeof(RingControl) / sizeof(RingSlot) + 1];
  const RecordHead wrong{sizeof(ReleaseRecord), 9, RecordKind::kRelease};
  std::memcpy(second.bytes, &wrong, sizeof wrong);
  EXPECT_EQ(opsFrom(0), (Ops{1, 3}));
  EXPECT_EQ(cursor_.broken_records, 1u);
}

TEST_F(RingImageTest, RefusesImpossiblePositions) {
  ring_.control().tail = 5;
  EXPECT_FALSE(image().valid());
  ring_.control().head = 5 + kSlots + 1;
  EXPECT_FALSE(image().valid());
  ring_.control().head = ~std::uint64_t{0};
  ring_.control().tail = ~std::uint64_t{0} - 3;
  EXPECT_FALSE(image().valid());
}

}  // namespace
}  // namespace traced
