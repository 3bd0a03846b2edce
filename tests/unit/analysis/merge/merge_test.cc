#include "analysis/merge/merge.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "analysis/clocks/align_clocks.h"
#include "analysis/match/loaded_run.h"
#include "phrasing/warnings.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/trace_file.h"
#include "support/write_file.h"

namespace traced {
namespace {

using testing::StreamBuilder;

class MergeTest : public ::testing::Test {
 protected:
  MergeTest() {
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      StreamBuilder stream(rank);
      stream.header().set_boot_id("boot-" + std::to_string(rank));
      stream.addGroup("dp", 0, 2);
      stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
      stream.addOperation(1, 2'000'000'000, 1, 1, 1000);
      chunks_.push_back(stream.takeChunk(true));
      testing::writeFile(dir_.path() + "/in/" + std::to_string(rank),
                         chunks_.back());
    }
    testing::writeFile(dir_.path() + "/in/notes.txt", "hello");
  }

  TraceSet open(const std::string& name) {
    auto set = openTraceSet({dir_.path() + "/" + name});
    EXPECT_TRUE(set);
    return std::move(*set);
  }
  std::string output() const { return dir_.path() + "/out"; }

  testing::TempDir dir_;
  std::vector<std::string> chunks_;
};

TEST_F(MergeTest, CopiesChunksByteForByte) {
  ASSERT_TRUE(writeMerged(open("in"), output(), Existing::kReplaced, "0.1.0",
                          clockText));
  const std::string merged = testing::readFile(output());
  for (const std::string& chunk : chunks_) {
    EXPECT_NE(merged.find(chunk), std::string::npos);
  }
  v1::Trace trace;
  ASSERT_TRUE(trace.ParseFromString(merged));
  EXPECT_EQ(trace.chunk_size(), 3);
  const v1::Merge merge = testing::decodePayload(trace.chunk(0)).merge();
  EXPECT_EQ(trace.chunk(0).stream_id(), 0u);
  EXPECT_EQ(merge.clock_size(), 2);
  EXPECT_EQ(merge.clock(1).source(), v1::CLOCK_SOURCE_COLLECTIVES);
  EXPECT_EQ(merge.warning_size(), 1);
}

TEST_F(MergeTest, MergingAMergedFileChangesNothing) {
  ASSERT_TRUE(writeMerged(open("in"), output(), Existing::kReplaced, "0.1.0",
                          clockText));
  const std::string once = testing::readFile(output());
  ASSERT_TRUE(writeMerged(open("out"), output() + "2", Existing::kReplaced,
                          "0.1.0", clockText));
  EXPECT_EQ(testing::readFile(output() + "2"), once);
}

TEST_F(MergeTest, MergingWhatWasMergedApartIsMergingItAtOnce) {
  std::filesystem::remove(dir_.path() + "/in/notes.txt");
  ASSERT_TRUE(writeMerged(open("in"), output(), Existing::kReplaced, "0.1.0",
                          clockText));
  std::filesystem::create_directory(dir_.path() + "/apart");
  for (const std::string rank : {"0", "1"}) {
    ASSERT_TRUE(writeMerged(open("in/" + rank), dir_.path() + "/apart/" + rank,
                            Existing::kReplaced, "0.1.0", clockText));
  }
  const TraceSet apart = open("apart");
  EXPECT_EQ(alignClocks(apart).models[1].source(),
            v1::CLOCK_SOURCE_COLLECTIVES);
  ASSERT_TRUE(writeMerged(apart, output() + "2", Existing::kReplaced, "0.1.0",
                          clockText));
  EXPECT_EQ(testing::readFile(output() + "2"), testing::readFile(output()));
}

TEST_F(MergeTest, ReportsUnusableBytes) {
  testing::writeFile(dir_.path() + "/in/0", "rubbish" + chunks_[0]);
  const TraceSet direct = open("in");
  EXPECT_EQ(direct.unusable_bytes, 7u);
  ASSERT_TRUE(
      writeMerged(direct, output(), Existing::kReplaced, "0.1.0", clockText));
  const TraceSet merged = open("out");
  EXPECT_EQ(merged.unusable_bytes, 7u);
  EXPECT_EQ(merged.input_warnings, direct.input_warnings);
}

TEST_F(MergeTest, AChangedInputLeavesNoFile) {
  const TraceSet set = open("in");
  testing::writeFile(dir_.path() + "/in/1", "gone");
  const auto merged =
      writeMerged(set, output(), Existing::kReplaced, "0.1.0", clockText);
  ASSERT_FALSE(merged);
  EXPECT_NE(merged.error().message.find("changed"), std::string::npos);
  for (const auto& entry : std::filesystem::directory_iterator(dir_.path())) {
    EXPECT_EQ(entry.path().filename(), "in");
  }
}

TEST_F(MergeTest, ReportsAFailedWrite) {
  EXPECT_FALSE(writeMerged(open("in"), "/nowhere/out", Existing::kReplaced,
                           "0.1.0", clockText));
}

}  // namespace
}  // namespace traced
