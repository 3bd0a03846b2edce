#include "analysis/job/matched_calls.h"

#include <gtest/gtest.h>

#include <array>

#include "analysis/reading/stream_loader.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

using testing::StreamBuilder;

// Returns whether an all-reduce of this engine is usable for clock alignment.
bool isUsable(const char* backend, const char* backend_class) {
  const testing::TempDir dir;
  StreamBuilder stream(0);
  v1::Group& group = stream.addGroup("dp", 0, 2);
  group.set_backend(backend);
  group.set_backend_class(backend_class);
  stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
  stream.add(IssueRow{
      .op = 1, .issue_ns = StreamBuilder::kIssueNs, .call = 1, .seq = 1});
  testing::writeFile(dir.path() + "/0", stream.takeChunk(true));
  const auto set = openTraceSet({dir.path()});
  EXPECT_TRUE(set);
  StreamLoader loader(*set);
  const StreamTable table = loader.load(set->streams[0]);
  const std::array<std::uint32_t, 1> groups = {0};
  return MatchedCalls(table, groups).of(table.operations[0]) != nullptr;
}

TEST(MatchedCallsTest, AnEndProvesNothingIfTheEngineMayLetRanksContinue) {
  EXPECT_TRUE(isUsable("gloo", ""));
  EXPECT_TRUE(isUsable("nccl", ""));
  EXPECT_FALSE(isUsable("fake", ""));
  EXPECT_FALSE(isUsable("ucc", ""));
  EXPECT_FALSE(isUsable("gloo", "acme::Backend"));
}

}  // namespace
}  // namespace traced
