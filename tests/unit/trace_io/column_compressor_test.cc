#include "trace_io/column_compressor.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <cstdint>
#include <random>
#include <string>

#include "traced/v1/trace.pb.h"

namespace traced {
namespace {

std::string decompressed(const std::string& packed, std::size_t size) {
  std::string raw(size, '\0');
  const std::size_t got =
      ZSTD_decompress(raw.data(), raw.size(), packed.data(), packed.size());
  EXPECT_EQ(got, size) << (ZSTD_isError(got) ? ZSTD_getErrorName(got) : "");
  return raw;
}

std::size_t compressedAtOnce(const std::string& raw) {
  std::string packed(ZSTD_compressBound(raw.size()), '\0');
  return ZSTD_compress(packed.data(), packed.size(), raw.data(), raw.size(), 1);
}

// Instants of operations, some microseconds apart, and how long each took.
v1::Payload randomPayload(std::mt19937_64& random, int rows) {
  v1::Payload payload;
  std::normal_distribution<> gap(20'000, 300), span(900, 40);
  for (int i = 0; i < rows; ++i) {
    payload.mutable_issued()->add_op_delta(5);
    payload.mutable_issued()->add_issue_ns_delta(
        static_cast<std::int64_t>(gap(random)));
    payload.mutable_returned()->add_op_delta(5);
    payload.mutable_returned()->add_return_ns_since(
        static_cast<std::int64_t>(span(random)));
  }
  return payload;
}

TEST(ColumnCompressorTest, AnyPayloadComesBack) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  ColumnCompressor compressor(1);
  std::string packed;
  for (const int rows : {20, 300, 499, 500, 501, 1000, 5000, 70'000}) {
    v1::Payload payload = randomPayload(random, rows);
    for (int i = 0; i < rows % 7; ++i) {
      payload.add_text()->set_text(std::string(700 * i, 'x'));
    }
    const std::string raw = payload.SerializeAsString();
    ASSERT_TRUE(compressor.compress(raw, packed)) << rows;
    EXPECT_EQ(decompressed(packed, raw.size()), raw) << rows;
  }
}

TEST(ColumnCompressorTest, EachColumnGetsItsOwnTable) {
  std::mt19937_64 random(1);
  const std::string raw = randomPayload(random, 4000).SerializeAsString();
  ColumnCompressor compressor(1);
  std::string packed;
  ASSERT_TRUE(compressor.compress(raw, packed));
  EXPECT_LT(packed.size(), 0.97 * compressedAtOnce(raw));
}

TEST(ColumnCompressorTest, WhatDoesNotGetSmallerIsLeftAlone) {
  std::string packed;
  EXPECT_FALSE(ColumnCompressor(1).compress("", packed));
  EXPECT_FALSE(ColumnCompressor(1).compress("\x08\x01", packed));
  EXPECT_FALSE(ColumnCompressor(0).compress(std::string(5000, '\0'), packed));
}

}  // namespace
}  // namespace traced
