#include "trace_io/chunk_scanner.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/stream_builder.h"
#include "trace_io/chunk_format.h"

namespace traced {
namespace {

// The results of a scan.
struct Scan {
  std::vector<std::string> bodies;
  std::vector<ByteRange> unusable;
  std::uint64_t unusable_bytes = 0;
};

Scan scan(const std::string& bytes) {
  MemorySource source(bytes);
  ChunkScanner scanner(source);
  Scan scan;
  while (const auto chunk = scanner.next())
    scan.bodies.emplace_back(chunk->body);
  scan.unusable = scanner.unusable().firstRanges();
  scan.unusable_bytes = scanner.unusable().total();
  return scan;
}

// A small file of three chunks.
class ChunkScannerTest : public ::testing::Test {
 protected:
  ChunkScannerTest() {
    testing::StreamBuilder stream(0);
    stream.addGroup("dp", 0, 2);
    stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
    for (std::uint64_t op = 1; op <= 3; ++op) {
      stream.addOperation(op, 2'000'000'000, 1, op, 500'000);
      chunks_.push_back(stream.takeChunk(op == 3));
      ends_.push_back(file_.size() + chunks_.back().size());
      file_ += chunks_.back();
    }
  }

  // Returns the offset at which chunk `i` begins.
  std::uint64_t begin(std::size_t i) const { return i ? ends_[i - 1] : 0; }
  // Returns the size of the tag and the length of chunk `i`.
  std::uint64_t framingBytes(std::size_t i) const {
    return chunks_[i].find('\x09');
  }
  std::string body(std::size_t i) const {
    return chunks_[i].substr(framingBytes(i));
  }

  std::vector<std::string> chunks_;
  std::vector<std::uint64_t> ends_;
  std::string file_;
};

TEST_F(ChunkScannerTest, FindsEveryChunkOfAnIntactFile) {
  const Scan found = scan(file_);
  EXPECT_EQ(found.bodies, (std::vector{body(0), body(1), body(2)}));
  EXPECT_EQ(found.unusable_bytes, 0u);
}

TEST_F(ChunkScannerTest, FramesABodyAsItWasFramed) {
  EXPECT_EQ(chunkFraming(body(0).size()) + body(0), chunks_[0]);
}

TEST_F(ChunkScannerTest, AFileCutAnywhereLosesOnlyTheChunkThatIsCut) {
  for (std::uint64_t size = 0; size <= file_.size(); ++size) {
    std::size_t whole = 0;
    while (whole < 3 && ends_[whole] <= size) ++whole;
    const Scan found = scan(file_.substr(0, size));
    ASSERT_EQ(found.bodies.size(), whole) << "cut at " << size;
    ASSERT_EQ(found.unusable_bytes, size - begin(whole)) << "cut at " << size;
  }
}

TEST_F(ChunkScannerTest, AByteFlippedAnywhereLosesOnlyItsChunk) {
  for (std::uint64_t at = 0; at < file_.size(); ++at) {
    std::string damaged = file_;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
    std::size_t hit = 0;
    while (ends_[hit] <= at) ++hit;
    const bool in_framing = at < begin(hit) + framingBytes(hit);

    const Scan found = scan(damaged);
    ASSERT_EQ(found.bodies.size(), in_framing ? 3u : 2u) << "flipped at " << at;
    const std::uint64_t lost =
        in_framing ? framingBytes(hit) : chunks_[hit].size();
    ASSERT_EQ(found.unusable,
              (std::vector{ByteRange{begin(hit), begin(hit) + lost}}))
        << "flipped at " << at;
  }
}

TEST_F(ChunkScannerTest, FindsItsWayThroughRubbish) {
  const std::string rubbish(300'000, '\x09');
  const Scan found = scan(rubbish + chunks_[0] + "?" + chunks_[1] + rubbish);
  EXPECT_EQ(found.bodies, (std::vector{body(0), body(1)}));
  EXPECT_EQ(found.unusable_bytes, 600'001u);
  EXPECT_EQ(found.unusable.size(), 3u);
}

TEST_F(ChunkScannerTest, AChunkInsideAChunkThatWasCutIsFound) {
  const std::string cut = chunks_[0].substr(0, chunks_[0].size() - 1);
  const Scan found = scan(cut + chunks_[1]);
  EXPECT_EQ(found.bodies, std::vector{body(1)});
  EXPECT_EQ(found.unusable, (std::vector{ByteRange{0, cut.size()}}));
}

TEST_F(ChunkScannerTest, ASyncWordAcrossTheSearchBlockIsFound) {
  for (std::size_t shift = 0; shift < 12; ++shift) {
    const std::string before((1 << 18) - shift, '.');
    EXPECT_EQ(scan(before + chunks_[0]).bodies.size(), 1u) << shift;
  }
}

TEST_F(ChunkScannerTest, RefusesSizesBeyondTheFileOrTheLimit) {
  for (const std::uint32_t size :
       {0x7FFFFFFFu, 0xFFFFFFFFu, static_cast<std::uint32_t>(kMaxChunkBytes)}) {
    std::string hostile = chunks_[0];
    hostile.replace(framingBytes(0) + kCheckedOffset + 1, 4,
                    reinterpret_cast<const char*>(&size), 4);
    const Scan found = scan(hostile + chunks_[1]);
    EXPECT_EQ(found.bodies, std::vector{body(1)});
    EXPECT_EQ(found.unusable_bytes, hostile.size());
  }
}

TEST_F(ChunkScannerTest, ManyFalseSyncWordsDoNotTakeForever) {
  // Each prefix announces the rest of the file as its chunk, and none is one.
  const std::string prefix = body(0).substr(0, kChunkPrefixBytes);
  std::string hostile;
  constexpr std::uint32_t kCount = 400'000;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const auto size =
        static_cast<std::uint32_t>((kCount - 1 - i) * prefix.size());
    hostile += prefix;
    hostile.replace(hostile.size() - 4, 4, reinterpret_cast<const char*>(&size),
                    4);
  }
  const Scan found = scan(hostile);
  EXPECT_TRUE(found.bodies.empty());
  EXPECT_EQ(found.unusable_bytes, hostile.size());
}

TEST_F(ChunkScannerTest, ARefusedChunkIsUnusable) {
  MemorySource source(file_);
  ChunkScanner scanner(source);
  scanner.next();
  scanner.next();
  scanner.refuse();
  while (scanner.next()) {
  }
  EXPECT_EQ(scanner.unusable().firstRanges(),
            (std::vector{ByteRange{begin(1), ends_[1]}}));
}

TEST(UnusableBytesTest, JoinsNeighboursAndCountsWhatItDoesNotList) {
  UnusableBytes unusable;
  unusable.add({0, 5});
  unusable.add({5, 7});
  unusable.add({9, 9});
  for (std::uint64_t i = 1; i <= 2000; ++i) unusable.add({10 * i, 10 * i + 1});
  EXPECT_EQ(unusable.total(), 2007u);
  EXPECT_EQ(unusable.rangeCount(), 2001u);
  EXPECT_EQ(unusable.firstRanges().front(), (ByteRange{0, 7}));
  EXPECT_LT(unusable.firstRanges().size(), 2000u);
}

}  // namespace
}  // namespace traced
