// Tests the recovery of a process that was killed.

#include <gmock/gmock.h>
#include <sys/mman.h>

#include <atomic>

#include "recorder/stacks/stack_source.h"
#include "recover_fixture.h"
#include "ring_io/ring/segment.h"
#include "support/write_file.h"

namespace traced::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(RecoverTest, RecoversRecordsThatWereOnlyInTheRing) {
  killOne();
  const auto recovered = recover();
  ASSERT_EQ(recovered.size(), 1u);
  EXPECT_EQ(recovered[0].outcome, RecoverOutcome::kRecovered)
      << recovered[0].why;
  EXPECT_EQ(recovered[0].records, 6u);
  EXPECT_EQ(recovered[0].rank, 1u);
  EXPECT_EQ(recovered[0].job, "job");
  EXPECT_EQ(recovered[0].trace, traceFile());
  EXPECT_THAT(segments(), IsEmpty());

  const RecoveredTrace trace = readRecovered(traces());
  EXPECT_THAT(trace.seqs.at(0), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(trace.rows, 16u);
  EXPECT_EQ(trace.accounts().produced(), 16u);
  EXPECT_EQ(trace.accounts().stored(), 16u);
  EXPECT_TRUE(trace.accounts().recovered());
  EXPECT_FALSE(trace.accounts().closed());
}

TEST_F(RecoverTest, ASecondRecoveryChangesNothing) {
  killOne();
  const std::string segment = segments().at(0);
  const std::string left = readFile(segment);
  recover();
  const std::string once = readFile(traceFile());
  EXPECT_THAT(recover(), IsEmpty());
  EXPECT_EQ(readFile(traceFile()), once);

  // Simulates a first recovery that was killed before it removed the segment.
  writeFile(segment, left);
  const auto again = recover();
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].outcome, RecoverOutcome::kRecovered);
  EXPECT_EQ(again[0].records, 0u);
  EXPECT_EQ(readFile(traceFile()), once);
  EXPECT_THAT(segments(), IsEmpty());
}

TEST_F(RecoverTest, ConcurrentRecoveriesRecoverOnce) {
  killOne();
  const auto paths = segments();
  int gate[2];
  ASSERT_EQ(pipe(gate), 0);
  std::vector<pid_t> others;
  for (int i = 0; i < 4; ++i) {
    others.push_back(fork());
    if (others.back() != 0) continue;
    close(gate[1]);
    char byte;
    static_cast<void>(read(gate[0], &byte, 1));  // until all may continue
    recoverSegments(paths, {});
    _exit(0);
  }
  close(gate[0]);
  close(gate[1]);
  for (const pid_t other : others) waitpid(other, nullptr, 0);
  EXPECT_THAT(segments(), IsEmpty());
  EXPECT_EQ(readRecovered(traces()).rows, 16u);
}

TEST_F(RecoverTest, AnOrphanOfTheDeadProcessDoesNotBlockTheRecovery) {
  auto* orphan = static_cast<std::atomic<pid_t>*>(
      mmap(nullptr, sizeof(std::atomic<pid_t>), PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  inKilledProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(worldOfTwo());
    completeCall(recorder, *group, 1);
    if (fork() == 0) {
      *orphan = getpid();
      for (;;) pause();
    }
    while (*orphan == 0) usleep(100);
  });
  const auto recovered = recover();
  kill(*orphan, SIGKILL);
  munmap(orphan, sizeof *orphan);
  ASSERT_EQ(recovered.size(), 1u);
  EXPECT_EQ(recovered[0].outcome, RecoverOutcome::kRecovered);
  EXPECT_EQ(readRecovered(traces()).rows, 5u);
}

TEST_F(RecoverTest, ADryRunChangesNothing) {
  killOne();
  const std::string before = readFile(traceFile());
  RecoverOptions options;
  options.dry_run = true;
  const auto recovered = recover(options);
  ASSERT_EQ(recovered.size(), 1u);
  EXPECT_EQ(recovered[0].records, 6u);
  EXPECT_EQ(readFile(traceFile()), before);
  EXPECT_EQ(segments().size(), 1u);
}

TEST_F(RecoverTest, RecoversOnlyTheNamedTraces) {
  killOne();
  RecoverOptions options;
  options.traces = {dir_.path() + "/elsewhere", dir_.path() + "/trace"};
  EXPECT_THAT(recover(options), IsEmpty());
  options.traces = {traces() + "/"};
  options.dry_run = true;
  EXPECT_EQ(recover(options).size(), 1u);
  options.traces = {traceFile()};
  EXPECT_EQ(recover(options).size(), 1u);
}

TEST_F(RecoverTest, AMovedTraceIsFoundByItsStream) {
  killOne();
  const std::string moved = dir_.path() + "/moved";
  std::filesystem::rename(traces(), moved);
  RecoverOptions options;
  options.traces = {moved};
  const auto recovered = recover(options);
  ASSERT_EQ(recovered.size(), 1u);
  EXPECT_EQ(recovered[0].outcome, RecoverOutcome::kRecovered)
      << recovered[0].why;
  EXPECT_EQ(recovered[0].trace.find(moved), 0u);
  EXPECT_EQ(readRecovered(moved).rows, 16u);
  EXPECT_FALSE(std::filesystem::exists(traces()));
  EXPECT_THAT(segments(), IsEmpty());
}

TEST_F(RecoverTest, ACopyIsNoTrace) {
  killOne();
  const std::string copy = dir_.path() + "/copy";
  std::filesystem::copy(traces(), copy,
                        std::filesystem::copy_options::recursive);
  RecoverOptions options;
  options.traces = {copy};
  const auto recovered = recover(options);
  ASSERT_EQ(recovered.size(), 1u);
  EXPECT_EQ(recovered[0].outcome, RecoverOutcome::kUnwritable);
  EXPECT_EQ(segments().size(), 1u);
  EXPECT_EQ(readRecovered(copy).rows, 10u);
}

TEST_F(RecoverTest, APathThatWasTooLongIsFoundByItsStream) {
  killOne();
  const std::string segment = segments().at(0);
  std::string bytes = readFile(segment);
  bytes[offsetof(SegmentHeader, trace_path)] = '\0';
  writeFile(segment, bytes);
  const auto unnamed = recover();
  ASSERT_EQ(unnamed.size(), 1u);
  EXPECT_EQ(unnamed[0].outcome, RecoverOutcome::kUnwritable);
  RecoverOptions options;
  options.traces = {traces()};
  EXPECT_EQ(recover(options).at(0).outcome, RecoverOutcome::kRecovered);
  EXPECT_EQ(readRecovered(traces()).rows, 16u);
}

TEST_F(RecoverTest, ReportsWhereAnIdleProcessEnded) {
  inKilledProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(worldOfTwo());
    completeCall(recorder, *group, 1);
    recorder.flush(kFlushLimit);
  });
  EXPECT_EQ(recover().at(0).records, 0u);
  const RecoveredTrace trace = readRecovered(traces());
  EXPECT_EQ(trace.accounts().stored(), 5u);
  EXPECT_TRUE(trace.accounts().recovered());
}

TEST_F(RecoverTest, RepeatsDefinitionsOfEarlierChunks) {
  inKilledProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(worldOfTwo());
    recorder.threw(issueCall(recorder, *group, 1, 0, 77), nowNs(), "boom");
    recorder.flush(kFlushLimit);
    group->setLabels("0", "renamed");
    for (std::uint64_t i = 2; i < 6; ++i) {
      completeCall(recorder, *group, i);
      recorder.flush(kFlushLimit);
    }
    // Not a failure, which would be written at once.
    issueCall(recorder, *group, 6, 0, 77);
    recorder.mark(MarkKind::kShutdownFailed, group->id(), "boom");
  });
  ASSERT_EQ(recover().at(0).records, 2u);
  const v1::Payload last = readRecovered(traces()).payloads.back();
  ASSERT_EQ(last.call_size(), 1);
  EXPECT_EQ(last.call(0).input(0).shape(0), 77);
  ASSERT_EQ(last.group_size(), 1);
  EXPECT_EQ(last.group(0).desc(), "renamed") << "the latest labels";
  EXPECT_EQ(last.thread_size(), 1);
  ASSERT_EQ(last.text_size(), 1);
  EXPECT_EQ(last.text(0).text(), "boom");
}

TEST_F(RecoverTest, RepeatsTheNamesOfAlgorithmAndProtocol) {
  inKilledProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(worldOfTwo());
    const OpId first = issueCall(recorder, *group, 1, 0, 77);
    recorder.method(first, "RING", "LL128", 4);
    recorder.flush(kFlushLimit);
    recorder.method(first, "RING", "LL128", 8);
  });
  ASSERT_EQ(recover().at(0).records, 1u);
  const v1::Payload last = readRecovered(traces()).payloads.back();
  const MethodRow row = rowsOf<MethodRow>(last).at(0);
  EXPECT_EQ(row.channels, 8u);
  ASSERT_EQ(last.text_size(), 2);
  for (const v1::Text& text : last.text()) {
    EXPECT_EQ(text.text(), text.id() == row.algorithm ? "RING" : "LL128");
  }
}

TEST_F(RecoverTest, RepeatsTheGroupOfAMark) {
  inKilledProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(worldOfTwo());
    recorder.flush(kFlushLimit);
    recorder.mark(MarkKind::kAbort, group->id());
  });
  ASSERT_EQ(recover().at(0).records, 1u);
  const v1::Payload last = readRecovered(traces()).payloads.back();
  ASSERT_EQ(last.group_size(), 1);
  EXPECT_EQ(last.marked().value(0), last.group(0).id());
}

// A program whose stack never changes.
class OneStack final : public StackSource {
 public:
  std::uint64_t identity() noexcept override { return 1; }
  std::string describe() noexcept override {
    v1::NewStack described;
    described.mutable_stack()->add_frame()->set_line(31);
    return described.SerializeAsString();
  }
};

TEST_F(RecoverTest, RepeatsTheStackAndTheGroupOfACreation) {
  inKilledProcess([&] {
    static OneStack stacks;
    setStackSource(&stacks);
    Recorder& recorder = start();
    const auto group = recorder.addGroup(worldOfTwo());
    FunctionRow row{.at_ns = nowNs(),
                    .call = 1,
                    .event = v1::FUNCTION_EVENT_CREATION_BEGAN};
    recorder.functionEvent(row, "new_group");
    recorder.flush(kFlushLimit);
    row.call = 2;
    recorder.functionEvent(row, "new_group");
    row.event = v1::FUNCTION_EVENT_CREATION_ENDED;
    row.group = group->id();
    recorder.functionEvent(row, "");
  });
  ASSERT_EQ(recover().at(0).records, 2u);
  const v1::Payload last = readRecovered(traces()).payloads.back();
  const auto rows = rowsOf<FunctionRow>(last);
  ASSERT_EQ(last.stack_size(), 1);
  EXPECT_EQ(rows.at(0).stack, last.stack(0).id());
  ASSERT_EQ(last.text_size(), 1);
  EXPECT_EQ(rows.at(0).function, last.text(0).id());
  ASSERT_EQ(last.group_size(), 1);
  EXPECT_EQ(rows.at(1).group, last.group(0).id());
  EXPECT_EQ(rows.at(1).stack, 0u);
}

}  // namespace
}  // namespace traced::testing
