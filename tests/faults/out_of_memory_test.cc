// Recovers the trace of a process that the kernel killed for lack of memory.

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <thread>

#include "memory_cgroup.h"
#include "support/temp_dir.h"
#include "workload.h"

namespace traced::testing {
namespace {

constexpr std::uint64_t kLimit = 64 << 20;

[[noreturn]] void recordAndUseUpMemory(const std::string& directory,
                                       Truth& truth) {
  std::thread hog([&truth] {
    waitUntilItRecords(truth);
    for (;;) {
      void* memory = std::malloc(1 << 20);
      if (memory) std::memset(memory, 1, 1 << 20);
      usleep(500);
    }
  });
  recordForEver(optionsIn(directory), truth);
}

TEST(OutOfMemoryTest, NothingPushedIsLost) {
  const std::uint64_t kills = number("TRACED_KILLS_EACH", 3);
  std::uint64_t pushed = 0;
  for (std::uint64_t i = 0; i < kills && !HasFailure(); ++i) {
    std::string why;
    const auto group = MemoryCgroup::make(kLimit, why);
    if (!group) GTEST_SKIP() << why;
    // The segment counts as memory of the group, as in a job.
    const char* shm = "/dev/shm";
    const TempDir dir(std::filesystem::exists(shm)
                          ? std::filesystem::path(shm)
                          : std::filesystem::temp_directory_path());
    const SharedTruth truth;
    const pid_t child = fork();
    if (child == 0) {
      if (!group->enter()) _exit(1);
      recordAndUseUpMemory(dir.path(), *truth);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) GTEST_SKIP() << "the cgroup cannot be entered";
    ASSERT_EQ(WTERMSIG(status), SIGKILL);
    EXPECT_EQ(group->kills(), 1u);
    const RecoveredTrace trace = bringBack(dir.path(), By::kRecover);
    expectAllOf(*truth, trace);
    pushed += truth->pushed();
  }
  std::cout << kills << " processes out of memory: " << pushed
            << " records committed\n";
}

}  // namespace
}  // namespace traced::testing
