// Tests which segments a recovery leaves alone, and its message.

#include <gmock/gmock.h>

#include "recover_fixture.h"
#include "ring_io/ring/segment.h"
#include "support/stream_builder.h"
#include "support/write_file.h"

namespace traced::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(RecoverTest, LeavesALiveProcessAlone) {
  auto segment = Segment::create(dir_.path(), 7, 4096, "");
  segment->setTracePath(traces() + "/rank-0.traced");
  const std::string before = readFile(segment->path());
  RecoverOptions options;
  options.discard = true;
  const auto recovered = recover(options);
  ASSERT_EQ(recovered.size(), 1u);
  EXPECT_EQ(recovered[0].outcome, RecoverOutcome::kLive);
  EXPECT_EQ(readFile(segment->path()), before);
}

TEST_F(RecoverTest, LeavesASegmentThatIsBeingMadeAlone) {
  const auto path =
      writeFile(dir_.path() + "/traced.0.0000000000000001.ring", "");
  RecoverOptions options;
  options.discard = true;
  EXPECT_THAT(recover(options), IsEmpty());
  EXPECT_TRUE(fs::exists(path));
}

TEST_F(RecoverTest, KeepsASegmentWithoutATraceUntilDiscarded) {
  killOne();
  const std::string trace = traceFile();
  fs::remove(trace);
  auto recovered = recover();
  ASSERT_EQ(recovered.size(), 1u);
  EXPECT_EQ(recovered[0].outcome, RecoverOutcome::kUnwritable);
  EXPECT_EQ(recovered[0].why, trace + " does not exist");
  EXPECT_EQ(segments().size(), 1u);

  RecoverOptions options;
  options.discard = true;
  recovered = recover(options);
  ASSERT_EQ(recovered.size(), 1u);
  EXPECT_EQ(recovered[0].outcome, RecoverOutcome::kDiscarded);
  EXPECT_THAT(segments(), IsEmpty());
  EXPECT_FALSE(fs::exists(trace));
}

TEST_F(RecoverTest, DoesNotWriteIntoTheTraceOfAnother) {
  killOne();
  StreamBuilder other(1);
  writeFile(traceFile(), other.takeChunk(true));
  const std::string before = readFile(traceFile());
  const auto recovered = recover();
  EXPECT_EQ(recovered.at(0).outcome, RecoverOutcome::kUnwritable);
  EXPECT_THAT(recovered[0].why, HasSubstr("belongs to another process"));
  EXPECT_EQ(readFile(traceFile()), before);
}

TEST_F(RecoverTest, DoesNotWriteIntoAFileThatIsNoTrace) {
  killOne();
  const std::string path = traceFile();
  writeFile(path, "precious");
  EXPECT_EQ(recover().at(0).outcome, RecoverOutcome::kUnwritable);
  EXPECT_EQ(readFile(path), "precious");
}

TEST_F(RecoverTest, RootWritesOnlyWhatTheOwnerOfTheSegmentMayWrite) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  killOne();
  fs::permissions(dir_.path(), fs::perms(0755));
  ASSERT_EQ(chown(segments().at(0).c_str(), 65534, 65534), 0);
  const std::string before = readFile(traceFile());
  const auto recovered = recover();
  EXPECT_EQ(recovered.at(0).outcome, RecoverOutcome::kUnwritable);
  EXPECT_THAT(recovered[0].why, HasSubstr("Permission denied"));
  EXPECT_EQ(readFile(traceFile()), before);
  EXPECT_EQ(geteuid(), 0u);
}

}  // namespace
}  // namespace traced::testing
