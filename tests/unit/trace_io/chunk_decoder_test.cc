#include "trace_io/chunk_decoder.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <string>

#include "support/stream_builder.h"
#include "trace_io/chunk_encoder.h"
#include "trace_io/chunk_format.h"
#include "trace_io/chunk_scanner.h"
#include "trace_io/payload_guard.h"
#include "trace_io/varint.h"

namespace traced {
namespace {

using namespace std::string_literals;

std::string bodyOf(const std::string& framed) {
  MemorySource source(framed);
  ChunkScanner scanner(source);
  return std::string(scanner.next()->body);
}

std::string compressed(const std::string& raw) {
  std::string packed(ZSTD_compressBound(raw.size()), '\0');
  packed.resize(
      ZSTD_compress(packed.data(), packed.size(), raw.data(), raw.size(), 1));
  return packed;
}

// Returns the status of decoding a chunk with these fields. parse() ignores the
// framing, so the fields suffice.
DecodeStatus decode(const v1::Chunk& chunk) {
  ChunkDecoder decoder;
  const DecodeStatus parsed = decoder.parse(chunk.SerializeAsString());
  return parsed == DecodeStatus::kOk ? decoder.decode() : parsed;
}

v1::Chunk zstdChunk(const std::string& packed, std::uint64_t payload_bytes) {
  v1::Chunk chunk;
  chunk.set_compression(v1::COMPRESSION_ZSTD);
  chunk.set_payload(packed);
  chunk.set_payload_bytes(payload_bytes);
  return chunk;
}

TEST(ChunkEncoderTest, CompressesOnlyWhatGetsSmaller) {
  const auto compressionOf = [](int numbers, int level) {
    std::string text;
    for (int i = 0; i < numbers; ++i) text += std::to_string(i);
    v1::Payload payload;
    payload.add_text()->set_text(text);
    ChunkEncoder encoder(level);
    v1::Chunk chunk;
    chunk.ParseFromString(bodyOf(encoder.encode(payload, {1, 0, 1})));
    return chunk.compression();
  };
  EXPECT_EQ(compressionOf(1000, 1), v1::COMPRESSION_ZSTD);
  EXPECT_EQ(compressionOf(1, 1), v1::COMPRESSION_NONE);
  EXPECT_EQ(compressionOf(1000, 0), v1::COMPRESSION_NONE);
}

class ChunkDecoderLevelTest : public ::testing::TestWithParam<int> {};

TEST_P(ChunkDecoderLevelTest, ReadsBackWhatTheEncoderWrote) {
  testing::StreamBuilder stream(3);
  stream.addGroup("dp", 0, 8);
  stream.addCall(v1::OPERATION_BROADCAST, 1, 1024, 1024);
  stream.addOperation(1, 2'000'000'000, 1, 1, 30'000);
  ChunkDecoder decoder;
  ASSERT_EQ(decoder.parse(bodyOf(stream.takeChunk(true, GetParam()))),
            DecodeStatus::kOk);
  EXPECT_EQ(decoder.chunk().stream_id(), stream.streamId());
  EXPECT_EQ(decoder.chunk().end_position(), 4u);
  ASSERT_EQ(decoder.decode(), DecodeStatus::kOk);
  EXPECT_EQ(decoder.payload().header().rank(), 3u);
  EXPECT_TRUE(decoder.payload().accounts().closed());
}

INSTANTIATE_TEST_SUITE_P(Levels, ChunkDecoderLevelTest,
                         ::testing::Values(0, 1));

TEST(ChunkDecoderTest, RefusesAPayloadOfAnotherSizeThanDeclared) {
  const std::string raw = v1::Payload().SerializeAsString() + "\x7A\x00";
  const std::string packed = compressed(std::string(1000, '\0'));
  EXPECT_EQ(decode(zstdChunk(packed, 999)), DecodeStatus::kRefused);
  EXPECT_EQ(decode(zstdChunk(packed, 1001)), DecodeStatus::kRefused);
  EXPECT_EQ(decode(zstdChunk("not zstd", 10)), DecodeStatus::kRefused);
  v1::Chunk plain;
  plain.set_compression(v1::COMPRESSION_NONE);
  plain.set_payload(raw);
  plain.set_payload_bytes(raw.size() + 1);
  EXPECT_EQ(decode(plain), DecodeStatus::kRefused);
}

// Returns the host in the decoded chunk of this payload.
std::string hostOf(const std::string& payload, bool compress) {
  v1::Chunk chunk = zstdChunk(compressed(payload), payload.size());
  if (!compress) {
    chunk.set_compression(v1::COMPRESSION_NONE);
    chunk.set_payload(payload);
  }
  ChunkDecoder decoder;
  EXPECT_EQ(decoder.parse(chunk.SerializeAsString()), DecodeStatus::kOk);
  v1::Header header;
  std::string maps;
  return decoder.decodeHeader(header, maps) ? header.host() : "none";
}

TEST(ChunkDecoderTest, ReportsTheHeaderWithoutTheRest) {
  v1::Payload header, others;
  header.mutable_header()->set_host("node-7");
  others.add_text()->set_text(std::string(1 << 20, 'x'));
  const std::string first = header.SerializeAsString();
  const std::string rest = others.SerializeAsString();
  header.mutable_header()->set_host(std::string(100'000, 'h'));
  const std::string large = header.SerializeAsString();
  for (const bool compress : {false, true}) {
    EXPECT_EQ(hostOf(first, compress), "node-7");
    EXPECT_EQ(hostOf(first + rest, compress), "node-7");
    EXPECT_EQ(hostOf(rest + first, compress), "node-7") << "not first";
    EXPECT_EQ(hostOf(large + rest, compress), std::string(100'000, 'h'));
    EXPECT_EQ(hostOf(rest, compress), "") << "there is none";
    EXPECT_EQ(hostOf("words", compress), "none");
    EXPECT_EQ(hostOf("\x0A\x7F"s + "cut", compress), "none");
  }
}

TEST(ChunkDecoderTest, RefusesABomb) {
  const std::string packed = compressed(std::string(64 << 20, '\0'));
  EXPECT_LT(packed.size(), 10'000u);
  EXPECT_EQ(decode(zstdChunk(packed, 100)), DecodeStatus::kRefused);
  EXPECT_EQ(decode(zstdChunk(packed, kMaxPayloadBytes + 1)),
            DecodeStatus::kRefused);
}

// An entry of a column takes one byte here and eight in memory. That is
// acceptable if it takes as many in the file.
TEST(ChunkDecoderTest, RefusesAPayloadOutOfProportion) {
  v1::Payload payload;
  for (std::size_t i = 0; i < 2 * kFreePayloadBytes; ++i) {
    payload.mutable_marked()->add_position_delta(1);
  }
  const std::string raw = payload.SerializeAsString();
  EXPECT_EQ(decode(zstdChunk(compressed(raw), raw.size())),
            DecodeStatus::kRefused);
  v1::Chunk plain;
  plain.set_compression(v1::COMPRESSION_NONE);
  plain.set_payload(raw);
  plain.set_payload_bytes(raw.size());
  EXPECT_EQ(decode(plain), DecodeStatus::kOk);
}

TEST(ChunkDecoderTest, RefusesColumnsBeyondAnyRecorder) {
  const std::string column(kMaxColumnBytes + 1, '\1');
  for (const std::uint32_t field :
       {v1::Payload::kIssuedFieldNumber, v1::Payload::kReleasedFieldNumber,
        v1::Payload::kMarkedFieldNumber, v1::Payload::kMethodFieldNumber}) {
    std::string raw;
    appendVarint(raw, field << 3 | 2);
    appendVarint(raw, column.size());
    raw += column;
    EXPECT_FALSE(isPlausiblePayload(raw, raw.size())) << field;
  }
}

TEST(ChunkDecoderTest, RefusesMillionsOfEmptyDefinitions) {
  std::string raw;
  for (std::size_t i = 0; i <= kMaxPayloadPieces; ++i) raw += "\x22\x00"s;
  EXPECT_EQ(decode(zstdChunk(compressed(raw), raw.size())),
            DecodeStatus::kRefused);
}

TEST(ChunkDecoderTest, RefusesMillionsOfRangesInOneGroup) {
  std::string group;
  for (std::size_t i = 0; i <= kMaxPayloadPieces; ++i) group += "\x32\x00"s;
  std::string raw = "\x22";
  appendVarint(raw, group.size());
  raw += group;
  EXPECT_EQ(decode(zstdChunk(compressed(raw), raw.size())),
            DecodeStatus::kRefused);
}

TEST(ChunkDecoderTest, SkipsAnUnknownCompression) {
  v1::Chunk chunk;
  chunk.set_compression(static_cast<v1::Compression>(7));
  EXPECT_EQ(decode(chunk), DecodeStatus::kUnknownCompression);
}

TEST(ChunkDecoderTest, SkipsUnknownFields) {
  const std::string raw =
      "\xF2\x3F\x05"
      "hello";
  EXPECT_EQ(decode(zstdChunk(compressed(raw), raw.size())), DecodeStatus::kOk);
}

TEST(ChunkDecoderTest, RefusesInvalidMessages) {
  ChunkDecoder decoder;
  EXPECT_EQ(decoder.parse("\x0F\xFF"), DecodeStatus::kRefused);
  const std::string raw = "\x0A\x7F";
  EXPECT_EQ(decode(zstdChunk(compressed(raw), raw.size())),
            DecodeStatus::kRefused);
}

// The smallest possible pieces, of a payload that is not stored yet.
TEST(PayloadGuardTest, PiecesAreCountedHoweverSmall) {
  const auto payload = [](std::size_t pieces) {
    std::string raw;
    for (std::size_t i = 0; i < pieces; ++i) raw += "\x22\x00"s;
    return raw;
  };
  EXPECT_TRUE(isPlausiblePayload(payload(kFreePieces), 0));
  EXPECT_FALSE(isPlausiblePayload(payload(kFreePieces + 1), 0));
}

TEST(PayloadGuardTest, AcceptsBytesThatResembleAnImpossibleLength) {
  v1::Payload payload;
  // A tag of a text, and a length of 4 GB.
  payload.add_code()->set_build_id("b\xFF\xFF\xFF\xFF\x0F");
  payload.add_stack()->add_cpp(0x0F'FF'FF'FF'FF'62);
  const std::string raw = payload.SerializeAsString();
  EXPECT_TRUE(isPlausiblePayload(raw, raw.size()));
}

}  // namespace
}  // namespace traced
