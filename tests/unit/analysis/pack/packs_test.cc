#include "analysis/pack/packs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/trace_file.h"
#include "support/write_file.h"

namespace traced {
namespace {

using testing::StreamBuilder;

constexpr std::uint64_t kAny = std::uint64_t{1} << 30;

class PacksTest : public ::testing::Test {
 protected:
  // Returns another chunk of a rank.
  std::string record(std::uint32_t rank) {
    while (streams_.size() <= rank) {
      auto stream = std::make_unique<StreamBuilder>(
          static_cast<std::uint32_t>(streams_.size()));
      stream->addGroup("dp", 0, 2);
      stream->addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
      streams_.push_back(std::move(stream));
      contents_.emplace_back();
    }
    const std::uint64_t number = ++operations_;
    streams_[rank]->addOperation(number, 2'000'000'000 + 1000 * number, 1,
                                 number, 1000);
    std::string chunk = streams_[rank]->takeChunk(true);
    contents_[rank] += chunk;
    testing::writeFile(in() + "/" + std::to_string(rank), contents_[rank]);
    return chunk;
  }

  Result<std::vector<Pack>> pack(std::uint64_t max_bytes = kAny,
                                 bool reports_damage = true) {
    const PackNames names{out(), "node"};
    std::filesystem::create_directory(out());
    return writePacks(indexTraces({in()}), PackedChunks(names),
                      {names, max_bytes, reports_damage, "0.1.0"});
  }

  std::string in() const { return dir_.path() + "/in"; }
  std::string out() const { return dir_.path() + "/out"; }
  std::string contentOf(const std::string& name) const {
    return testing::readFile(out() + "/" + name);
  }

  testing::TempDir dir_;

 private:
  std::vector<std::unique_ptr<StreamBuilder>> streams_;
  std::vector<std::string> contents_;
  std::uint64_t operations_ = 0;
};

TEST_F(PacksTest, HaveTheChunksByteForByte) {
  const std::string first = record(0), second = record(1);
  const auto packs = pack();
  ASSERT_TRUE(packs.ok()) << packs.error().message;
  ASSERT_EQ(packs->size(), 1u);
  EXPECT_EQ((*packs)[0].path, out() + "/node-0001.traced");
  EXPECT_EQ((*packs)[0].streams, 2u);
  EXPECT_EQ((*packs)[0].chunks, 2u);
  EXPECT_EQ((*packs)[0].bytes, first.size() + second.size());
  EXPECT_EQ(contentOf("node-0001.traced"), first + second);
}

TEST_F(PacksTest, HaveOnlyWhatNoPackBeforeHas) {
  record(0);
  ASSERT_TRUE(pack().ok());
  const std::string more = record(0), other = record(1);
  ASSERT_EQ(pack()->size(), 1u);
  EXPECT_EQ(contentOf("node-0002.traced"), more + other);
  EXPECT_TRUE(pack()->empty());
}

TEST_F(PacksTest, ADamagedPackIsReplaced) {
  const std::string chunk = record(0);
  ASSERT_TRUE(pack().ok());
  testing::writeFile(out() + "/node-0001.traced",
                     chunk.substr(0, chunk.size() - 1));
  ASSERT_EQ(pack()->size(), 1u);
  EXPECT_NE(contentOf("node-0002.traced").find(chunk), std::string::npos);
}

TEST_F(PacksTest, StayWithinTheSizeLimit) {
  std::uint64_t largest = 0;
  for (int i = 0; i < 6; ++i) {
    largest = std::max<std::uint64_t>(largest, record(0).size());
  }
  const auto packs = pack(2 * largest);
  ASSERT_GE(packs->size(), 3u);
  for (const Pack& pack : *packs) EXPECT_LE(pack.bytes, 2 * largest);
  // One byte less: two of the largest do not fit.
  std::filesystem::remove_all(out());
  const auto smaller = pack(2 * largest - 1);
  for (const Pack& pack : *smaller) EXPECT_LT(pack.bytes, 2 * largest);
  // A chunk is never cut.
  EXPECT_TRUE(pack(1)->empty());
  record(1);
  EXPECT_EQ(pack(1)->size(), 1u);
}

TEST_F(PacksTest, DamageIsReportedOnce) {
  record(0);
  testing::writeFile(in() + "/notes.txt", "hello");
  ASSERT_TRUE(pack().ok());
  const TraceSet once = indexTraces({out()});
  EXPECT_EQ(once.input_warnings.size(), 1u);
  record(0);
  ASSERT_EQ(pack()->size(), 1u);
  EXPECT_EQ(indexTraces({out()}).input_warnings, once.input_warnings);
}

TEST_F(PacksTest, DamageIsNotReportedForATraceThatIsBeingWritten) {
  const std::string chunk = record(0);
  testing::writeFile(in() + "/0", chunk + chunk.substr(0, chunk.size() / 2));
  ASSERT_TRUE(pack(kAny, false).ok());
  EXPECT_EQ(indexTraces({out()}).unusable_bytes, 0u);
  ASSERT_EQ(pack(kAny, true)->size(), 1u);
  EXPECT_EQ(indexTraces({out()}).unusable_bytes, chunk.size() / 2);
}

TEST_F(PacksTest, FilesOfOthersAreNoPacks) {
  record(0);
  std::filesystem::create_directory(out());
  for (const char* name : {"node-x.traced", "node-7.txt", "other-9.traced",
                           "node-0.traced", "node-0007.traced.ab.tmp"}) {
    testing::writeFile(out() + "/" + name, "hello");
  }
  EXPECT_EQ(pack()->front().path, out() + "/node-0001.traced");
}

TEST_F(PacksTest, NoFileIsEverReplaced) {
  record(0);
  std::filesystem::create_directory(out());
  const PackedChunks none({out(), "node"});
  testing::writeFile(out() + "/node-0001.traced", "of another packer");
  const auto packs = writePacks(indexTraces({in()}), none,
                                {{out(), "node"}, kAny, true, "0.1.0"});
  ASSERT_FALSE(packs.ok());
  EXPECT_EQ(packs.error().message, out() + "/node-0001.traced: exists");
  EXPECT_EQ(contentOf("node-0001.traced"), "of another packer");
}

}  // namespace
}  // namespace traced
