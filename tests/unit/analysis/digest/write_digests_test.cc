// Which bytes are in a digest, of traces and of digests.

#include "analysis/digest/write_digests.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "open_digests.h"
#include "support/job_builder.h"
#include "support/temp_dir.h"
#include "support/trace_file.h"
#include "support/write_file.h"

namespace traced {
namespace {

using testing::JobBuilder;
using testing::RankBuilder;

class WriteDigestsTest : public ::testing::Test {
 protected:
  // A trace of so many chunks, under the name of the rank.
  void writeTrace(JobBuilder& job, std::uint32_t number, int chunks) {
    RankBuilder& rank = job.rank(number);
    const std::uint32_t call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
    std::string trace;
    for (int i = 1; i <= chunks; ++i) {
      for (int j = 0; j < 50; ++j) rank.end(call, 1000 * i + 10 * j);
      trace += rank.stream().takeChunk(i == chunks, 0);
    }
    testing::writeFile(path(std::to_string(number)), trace);
  }

  std::string path(const std::string& name) const {
    return dir_.path() + "/" + name;
  }
  TraceSet open(const std::vector<std::string>& names) const {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back(path(name));
    return testing::openDigests(paths);
  }
  // Makes a file, and returns what is in it.
  std::string digest(const std::string& name,
                     const std::vector<std::string>& inputs,
                     std::optional<std::uint64_t> latest_bytes) const {
    const auto made = writeDigests(open(inputs), path(name),
                                   Existing::kReplaced, {latest_bytes, "1.0"});
    EXPECT_TRUE(made) << made.error().message;
    return testing::readFile(path(name));
  }

  const testing::TempDir dir_;
};

TEST_F(WriteDigestsTest, ATraceBesideADigestIsAsIfItWereDigestedAlready) {
  JobBuilder job(2);
  for (const std::uint32_t rank : {0u, 1u}) writeTrace(job, rank, 1);
  digest("a", {"0"}, 0);
  digest("b", {"1"}, 0);
  const std::string expected = digest("c", {"a", "b"}, 0);
  EXPECT_TRUE(digest("c", {"a", "1"}, 0) == expected);
  EXPECT_TRUE(digest("c", {"0", "b"}, 0) == expected);
}

// See docs/cli.md.
TEST_F(WriteDigestsTest, OfASmallTraceTheLatest8KiBStay) {
  JobBuilder job(1);
  writeTrace(job, 0, 100);
  digest("a", {"0"}, std::nullopt);
  std::uint64_t bytes = 0;
  const TraceSet set = open({"a"});
  for (const ChunkRef& chunk : set.streams.at(0).chunks) {
    bytes += chunk.body_bytes;
  }
  EXPECT_GT(bytes, 6u << 10);
  EXPECT_LE(bytes, 8u << 10);
}

}  // namespace
}  // namespace traced
