// Fails every allocation in turn, in the writer's thread or the caller's, while
// the recorder works. It must not throw into the job, and must count its
// losses.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>

#include "recorder/recorder.h"
#include "ring_io/chunks/operation_summary.h"
#include "support/temp_dir.h"
#include "support/trace_file.h"

namespace {

enum class Whose { kNobodys, kCallers, kOthers };
std::atomic<Whose> whose{Whose::kNobodys};
std::atomic<long> until_failure{0};
pid_t caller = 0;

bool fails() {
  const Whose now = whose.load();
  if (now == Whose::kNobodys) return false;
  return (gettid() == caller) == (now == Whose::kCallers) &&
         --until_failure == 0;
}

}  // namespace

void* operator new(std::size_t bytes) {
  void* memory = fails() ? nullptr : std::malloc(bytes);
  if (!memory) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace traced {
namespace {

constexpr int kOperations = 60;
constexpr std::chrono::seconds kDeadline{20};

// Exit statuses of a child.
constexpr int kFine = 0;
constexpr int kWrong = 1;
constexpr int kNothingFailed = 2;

void complete(Recorder& recorder, RecordedGroup& group, std::int64_t elements) {
  CallDescription call(Operation::kAllReduce, group.id());
  call.addInput(DType::kFloat32, {&elements, 1},
                static_cast<std::uint64_t>(elements) * 4);
  const OpId op =
      recorder.issue(group, call, {}, group.nextCollective(), 0, nowNs());
  elements % 10 == 0 ? recorder.threw(op, nowNs(), "it failed")
                     : recorder.returned(op, nowNs());
  recorder.waited({op, nowNs(), 5, 0, 0, 0, Outcome::kOk, true});
  recorder.released(op);
}

bool isExact(const std::string& directory) {
  std::uint64_t rows = 0;
  v1::Accounts accounts;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    for (const v1::Payload& payload :
         testing::decodeTrace(testing::readFile(entry.path()))) {
      rows += testing::rowCount(payload);
      accounts = payload.accounts();
    }
  }
  std::uint64_t dropped = 0;
  for (const auto& drop : accounts.drop()) dropped += drop.records();
  // One operation in ten fails, and some of these get a mark.
  const std::uint64_t made = 4 * kOperations;
  return accounts.produced() >= made &&
         accounts.produced() <= made + kOperations / 10 &&
         accounts.stored() == rows && rows + dropped == accounts.produced() &&
         accounts.closed();
}

int record(Whose who, long nth, const std::string& directory) {
  Options options;
  options.standstill_ns = 0;  // the test counts records
  options.resources_ns = 0;
  options.directory = directory + "/traces";
  options.ring_directory = directory;
  options.ring_slots = 4096;
  Recorder& recorder = **Recorder::start(options, {});
  GroupInfo info;
  info.leg = "cpu";
  info.members = {0, 1};
  const auto group = recorder.addGroup(info);
  recorder.flush(kDeadline);

  caller = gettid();
  until_failure = nth;
  whose = who;
  for (int i = 0; i < kOperations; ++i) {
    complete(recorder, *group, i);
    if (i % 20 == 19 && who == Whose::kOthers) recorder.flush(kDeadline);
  }
  whose = Whose::kNobodys;
  if (until_failure > 0) return kNothingFailed;
  Recorder::stopCurrent(kDeadline);
  return isExact(options.directory) ? kFine : kWrong;
}

// A call requests it with NVTX ranges.
TEST(OperationNameTest, NeedsNoMemory) {
  caller = gettid();
  until_failure = 1;
  whose = Whose::kCallers;
  const char* name = operationName(Operation::kReduceScatterTensor);
  whose = Whose::kNobodys;
  EXPECT_STREQ(name, "reduce_scatter_tensor");
}

class NoMemoryTest : public ::testing::TestWithParam<Whose> {};

TEST_P(NoMemoryTest, EveryFailedAllocationIsSurvivedAndCounted) {
  for (long nth = 1;; ++nth) {
    SCOPED_TRACE("allocation " + std::to_string(nth));
    const testing::TempDir dir;
    const pid_t child = fork();
    if (child == 0) {
      std::freopen("/dev/null", "w", stderr);  // the warning
      _exit(record(GetParam(), nth, dir.path()));
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    if (WEXITSTATUS(status) == kNothingFailed) {
      std::printf("%ld allocations\n", nth - 1);
      ASSERT_GT(nth, 1);
      return;
    }
    ASSERT_EQ(WEXITSTATUS(status), kFine);
  }
}

INSTANTIATE_TEST_SUITE_P(All, NoMemoryTest,
                         ::testing::Values(Whose::kOthers, Whose::kCallers));

}  // namespace
}  // namespace traced
