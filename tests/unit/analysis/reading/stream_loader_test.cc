#include "analysis/reading/stream_loader.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/reading/trace_set.h"
#include "support/reframe.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

v1::Payload rows(int count) {
  v1::Payload payload;
  for (int i = 0; i < count; ++i) {
    payload.mutable_released()->add_op_delta(1);
  }
  return payload;
}

constexpr int kFreeRows = static_cast<int>(Allowance::kFreeRows);

TEST(AllowanceTest, ManyRowsNeedBytes) {
  Allowance allowance;
  EXPECT_TRUE(allowance.take(0, 0, kFreeRows));
  EXPECT_FALSE(allowance.take(0, 0, 1));
  EXPECT_TRUE(allowance.take(1, 0, Allowance::kRowsPerByte));
  EXPECT_FALSE(allowance.take(0, 0, 1));
}

TEST(AllowanceTest, RefusedBytesAreNotCounted) {
  Allowance allowance;
  EXPECT_FALSE(allowance.take(0, 0, kFreeRows + 1));
  EXPECT_TRUE(allowance.take(0, 0, kFreeRows));
}

TEST(AllowanceTest, LargePayloadsNeedBytes) {
  Allowance allowance;
  EXPECT_TRUE(allowance.take(0, Allowance::kFreePayloadBytes, 0));
  EXPECT_FALSE(allowance.take(0, 1, 0));
  EXPECT_TRUE(allowance.take(1, Allowance::kPayloadPerByte, 0));
}

// Thirty such chunks would make two million operations of 13 KB.
TEST(AllowanceTest, ChunksThatUnpackToTooMuchTogetherAreRefused) {
  const testing::TempDir dir;
  testing::StreamBuilder stream(0, 1);
  std::string bytes;
  std::uint64_t position = 0;
  for (int chunk = 0; chunk < 30; ++chunk) {
    v1::Payload payload = rows(kFreeRows);
    payload.mutable_released()->set_op_delta(
        0, static_cast<std::int64_t>(position));
    position += kFreeRows;
    *payload.mutable_header() = stream.header();
    bytes += testing::compressed(stream.encode(payload, kFreeRows, 0));
  }
  ASSERT_LT(bytes.size(), 20'000u);
  const auto set = openTraceSet({testing::writeFile(dir.path() + "/t", bytes)});
  ASSERT_TRUE(set);
  const StreamTable table = StreamLoader(*set).load(set->streams.at(0));
  EXPECT_EQ(table.chunks, 1u);
  EXPECT_EQ(table.rows_found, Allowance::kFreeRows);
  EXPECT_GT(table.refused_bytes, bytes.size() * 9 / 10);
}

}  // namespace
}  // namespace traced
