#include <gtest/gtest.h>

#include "cli/info/info.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

using testing::StreamBuilder;

// A job of thousands of ranks has billions of operations.
TEST(RunInfoTest, KeepsNoOperations) {
  const testing::TempDir dir;
  StreamBuilder stream(0, 1);
  for (std::uint64_t id = 0; id < 100; ++id) {
    stream.addOperation(10 * id, StreamBuilder::kStartNs + 10, 0, id + 1, 10);
  }
  testing::writeFile(dir.path() + "/rank", stream.takeChunk());
  const auto set = openTraceSet({dir.path()});
  ASSERT_TRUE(set);
  const RunInfo info = gatherInfo(*set);
  ASSERT_EQ(info.ranks.size(), 1u);
  EXPECT_EQ(info.ranks[0].operations, 100u);
  EXPECT_EQ(info.ranks[0].table.operations.capacity(), 0u);
}

}  // namespace
}  // namespace traced
