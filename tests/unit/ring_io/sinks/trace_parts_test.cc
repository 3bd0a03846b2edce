#include "ring_io/sinks/trace_parts.h"

#include <gtest/gtest.h>

#include "ring_io/recovery/written_stream.h"
#include "support/temp_dir.h"
#include "support/write_file.h"
#include "trace_io/chunk_encoder.h"

namespace traced {
namespace {

TEST(TracePartsTest, NamesAndTheirInverse) {
  EXPECT_EQ(partPath("a/rank-0", 0), "a/rank-0.traced");
  EXPECT_EQ(partPath("a/rank-0", 12), "a/rank-0.part-12.traced");
  EXPECT_EQ(part0Of("a/rank-0.part-12.traced"), "a/rank-0.traced");
  for (const char* other : {"a/rank-0.traced", "a/r.part-x.traced", "a/b",
                            "a/r.part-01.traced", "a/r.part-.traced"}) {
    EXPECT_EQ(part0Of(other), other);
  }
  EXPECT_EQ(stemOf("a/rank-0.traced"), "a/rank-0");
  EXPECT_EQ(stemOf("a/rank-0.txt"), "");
}

TEST(TracePartsTest, FindsExistingPartsByNumber) {
  const testing::TempDir dir;
  const std::string stem = dir.path() + "/rank-1";
  for (const char* name : {".part-10.traced", ".part-9.traced", "0.traced",
                           ".part-9.traced.bak", ".part-9.txt"}) {
    testing::writeFile(stem + name, "x");
  }
  const auto parts = existingParts(stem + ".traced");
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].number, 9u);
  EXPECT_EQ(parts[1].path, stem + ".part-10.traced");
}

TEST(TracePartsTest, ATornChunkIsAnyProperBeginningOfOne) {
  v1::Payload payload;
  payload.mutable_header()->set_job(std::string(500, 'x'));
  ChunkEncoder encoder(0);
  const std::string chunk = encoder.encode(payload, {1, 0, 0});
  for (std::size_t bytes = 0; bytes < chunk.size(); ++bytes) {
    EXPECT_TRUE(isTornChunk(chunk.substr(0, bytes), bytes)) << bytes;
  }
  EXPECT_FALSE(isTornChunk(chunk, chunk.size())) << "whole, and damaged";
  EXPECT_FALSE(isTornChunk("precious", 8));
  // A line break, and bytes that are not ASCII.
  EXPECT_TRUE(isTornChunk("\n" + std::string(9, '\xFF'), 10));
  EXPECT_FALSE(isTornChunk("\n" + std::string(9, '\xFF') + "\1", 100));
  EXPECT_FALSE(isTornChunk("\n" + std::string(10, '\xFF'), 100))
      << "no size has so many bytes";
}

}  // namespace
}  // namespace traced
