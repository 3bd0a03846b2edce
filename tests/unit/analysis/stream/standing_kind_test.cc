#include "analysis/stream/standing_kind.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

namespace traced {
namespace {

using Frames = std::vector<v1::Frame>;

Frames frames(std::initializer_list<std::pair<const char*, const char*>> all) {
  Frames result;
  for (const auto& [file, function] : all) {
    v1::Frame& frame = result.emplace_back();
    frame.set_file(file);
    frame.set_function(function);
  }
  return result;
}

StandingKind kind(const std::string& call, const Frames& at = {},
                  char state = 'S', std::uint32_t interpreter = 0) {
  ThreadSampleRow row;
  row.state = static_cast<unsigned char>(state);
  row.interpreter = interpreter;
  return kindOf(row, at, call);
}

TEST(StandingKindTest, TheSystemCallDecidesInCodeOfTheProgram) {
  const Frames program = frames({{"/job/train.py", "main"}});
  EXPECT_EQ(kind("futex", program), StandingKind::kLock);
  EXPECT_EQ(kind("clock_nanosleep", program), StandingKind::kSleeps);
  EXPECT_EQ(kind("write /ckpt/a.pt", program), StandingKind::kFile);
  EXPECT_EQ(kind("write pipe:[7]", program), StandingKind::kEvent);
  EXPECT_EQ(kind("read /dev/pts/0", program), StandingKind::kDevice);
  EXPECT_EQ(kind("pselect6 timer", program), StandingKind::kSleeps);
  EXPECT_EQ(kind("pselect6", program), StandingKind::kEvent);
  EXPECT_EQ(kind("fcntl /tmp/a", program), StandingKind::kLock);
  EXPECT_EQ(kind("wait4", program), StandingKind::kChildProcess);
  EXPECT_EQ(kind("openat", program), StandingKind::kFile);
  EXPECT_EQ(kind("recvfrom socket:[7]", program), StandingKind::kEvent);
  EXPECT_EQ(kind("call_999", program), StandingKind::kUnknown);
  EXPECT_EQ(kind("", program), StandingKind::kUnknown);
  EXPECT_EQ(kind("", program, 'R'), StandingKind::kRuns);
  EXPECT_EQ(kind("", program, 'D'), StandingKind::kUninterruptible);
}

TEST(StandingKindTest, KnownCodeDecidesBeforeTheCall) {
  EXPECT_EQ(
      kind("ppoll", frames({{"/lib/multiprocessing/connection.py", "wait"},
                            {"/x/site-packages/torch/utils/data/dataloader.py",
                             "_get_data"},
                            {"/job/train.py", "main"}})),
      StandingKind::kLoadsData);
  EXPECT_EQ(
      kind("futex",
           frames({{"/x/site-packages/torch/distributed/distributed_c10d.py",
                    "destroy_process_group"}})),
      StandingKind::kTeardown);
  EXPECT_EQ(kind("write /a",
                 frames({{"/x/site-packages/torch/serialization.py", "save"}})),
            StandingKind::kCheckpoint);
  EXPECT_EQ(kind("",
                 frames({{"/x/site-packages/torch/_dynamo/convert_frame.py",
                          "compile"}}),
                 'R'),
            StandingKind::kCompiles);
}

TEST(StandingKindTest, CompiledCodeThatRunsDoesNotCompile) {
  EXPECT_EQ(
      kind("",
           frames({{"/x/site-packages/torch/_dynamo/eval_frame.py", "_fn"}}),
           'R'),
      StandingKind::kRuns);
}

TEST(StandingKindTest, ACallOfTorchDistributedCommunicatesUnlessItRuns) {
  const Frames at =
      frames({{"/x/site-packages/torch/distributed/distributed_c10d.py",
               "broadcast_object_list"},
              {"/job/train.py", "main"}});
  EXPECT_EQ(kind("futex", at), StandingKind::kCommunicates);
  EXPECT_EQ(kind("", at, 'R'), StandingKind::kRuns);
}

TEST(StandingKindTest, FoldersOfTheProgramAreNoPackages) {
  EXPECT_EQ(kind("clock_nanosleep", frames({{"/job/webdataset/a.py", "f"}})),
            StandingKind::kSleeps);
  EXPECT_EQ(kind("clock_nanosleep",
                 frames({{"/x/dist-packages/webdataset/a.py", "f"}})),
            StandingKind::kLoadsData);
}

TEST(StandingKindTest, TheStateOfProcessAndInterpreterComesFirst) {
  const Frames loader =
      frames({{"/x/site-packages/torch/utils/data/dataloader.py", "next"}});
  EXPECT_EQ(kind("futex", loader, 'T'), StandingKind::kStopped);
  EXPECT_EQ(kind("futex", loader, 'S', v1::INTERPRETER_BIT_WAITS_FOR_LOCK),
            StandingKind::kWaitsForGil);
  EXPECT_EQ(kind("", frames({{"/job/a.py", "Batch.__del__"}}), 'R',
                 v1::INTERPRETER_BIT_COLLECTING),
            StandingKind::kCollectsGarbage);
  // Another thread may collect.
  EXPECT_EQ(kind("futex", loader, 'S', v1::INTERPRETER_BIT_COLLECTING),
            StandingKind::kLoadsData);
}

TEST(StandingKindTest, EachKindHasAName) {
  EXPECT_STREQ(nameOf(StandingKind::kUnknown), "unknown");
  EXPECT_STREQ(nameOf(StandingKind::kCommunicates), "communication");
  EXPECT_STREQ(nameOf(StandingKind::kRuns), "running");
  EXPECT_STREQ(nameOf(StandingKind::kUninterruptible), "uninterruptible");
}

}  // namespace
}  // namespace traced
