#include "ring_io/chunks/chunk_pace.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

TEST(ChunkPaceTest, FewRecordsWaitForMore) {
  EXPECT_EQ(chunkInterval(1, false), kIdleChunkInterval);
  EXPECT_EQ(chunkInterval(kFewSlots - 1, false), kIdleChunkInterval);
  EXPECT_EQ(chunkInterval(kFewSlots, false), kChunkInterval);
}

TEST(ChunkPaceTest, DoesNotWaitWithASink) {
  EXPECT_EQ(chunkInterval(1, true), kChunkInterval);
}

}  // namespace
}  // namespace traced
