#include "ring_io/ring/segment.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

#include "ring_io/ring/ring.h"
#include "support/temp_dir.h"
#include "support/trace_file.h"

namespace traced {
namespace {

constexpr std::uint64_t kSegmentSlots = 4096;

TEST(SegmentTest, IsAFileThatNamesItsOwner) {
  const testing::TempDir dir;
  const auto segment =
      Segment::create(dir.path(), 0xABC, kSegmentSlots, "the header");
  segment->setTracePath("/traces/rank-0.traced");
  const std::string bytes = testing::readFile(segment->path());
  SegmentHeader header;
  ASSERT_GE(bytes.size(), sizeof header);
  std::memcpy(&header, bytes.data(), sizeof header);
  EXPECT_EQ(header.magic, SegmentHeader::kMagic);
  EXPECT_EQ(header.stream_id, 0xABCu);
  EXPECT_EQ(header.slots, kSegmentSlots);
  EXPECT_STREQ(header.trace_path, "/traces/rank-0.traced");
  EXPECT_EQ(bytes.substr(header.info_offset, header.info_bytes), "the header");
  EXPECT_EQ(bytes.size() % 4096, 0u);
  EXPECT_TRUE(segment->note().empty());
}

TEST(SegmentTest, IsLockedWhileItsOwnerLives) {
  const testing::TempDir dir;
  auto segment = Segment::create(dir.path(), 1, kSegmentSlots, "");
  const int fd = open(segment->path().c_str(), O_RDWR);
  EXPECT_NE(flock(fd, LOCK_EX | LOCK_NB), 0);
  segment.reset();
  EXPECT_EQ(flock(fd, LOCK_EX | LOCK_NB), 0);
  close(fd);
}

TEST(SegmentTest, IsRemovedWithItsOwner) {
  const testing::TempDir dir;
  auto segment = Segment::create(dir.path(), 1, kSegmentSlots, "");
  const std::string path = segment->path();
  segment.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(SegmentTest, ItsRingIsFullAfterRelease) {
  const testing::TempDir dir;
  const auto segment = Segment::create(dir.path(), 1, kSegmentSlots, "");
  Ring ring(segment->ringMemory(), segment->slots());
  const ReleaseRecord record{1, 2};
  EXPECT_NE(ring.push(RecordKind::kRelease, record), Ring::kFull);
  segment->abandon();
  EXPECT_EQ(ring.push(RecordKind::kRelease, record), Ring::kFull);
  EXPECT_EQ(ring.pushDefinition(RecordKind::kDefineText, {1, 1}, "x", 1),
            Ring::kFull);
}

TEST(SegmentTest, FallsBackToPrivateMemoryAndReportsIt) {
  const auto segment = Segment::create("/nowhere", 1, kSegmentSlots, "");
  ASSERT_TRUE(segment);
  EXPECT_TRUE(segment->path().empty());
  EXPECT_NE(segment->note().find("/nowhere"), std::string::npos);
  Ring ring(segment->ringMemory(), segment->slots());
  EXPECT_EQ(ring.push(RecordKind::kRelease, ReleaseRecord{1, 2}), 0u);
}

}  // namespace
}  // namespace traced
