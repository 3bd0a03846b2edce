// Tests that thousands of short-lived groups take no memory.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "support/recovered_trace.h"
#include "support/temp_dir.h"

namespace traced::testing {
namespace {

std::uint64_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

TEST(ManyGroupsTest, TensOfThousandsOfGroupsReuseTheSameMemory) {
  constexpr std::uint64_t kWarmUp = 20'000;  // more than threads keep

  constexpr std::uint64_t kGroups = 40'000;
  const TempDir dir;
  const pid_t child = fork();
  if (child == 0) {
    Options options;
    options.resources_ns = 0;  // the test counts records
    options.directory = dir.path() + "/traces";
    options.ring_directory = dir.path();
    options.window_bytes = 0;  // else it grows with time
    Recorder& recorder = **Recorder::start(options, {});
    std::uint64_t before = 0;
    for (std::uint64_t i = 1; i <= kWarmUp + kGroups; ++i) {
      auto group = recorder.addGroup(worldOfTwo());
      completeCall(recorder, *group, 1);
      group.reset();
      if (i % 500 == 0) recorder.flush(std::chrono::seconds(20));
      if (i == kWarmUp) before = residentBytes();
    }
    EXPECT_LT(residentBytes(), before + (2 << 20));
    std::exit(::testing::Test::HasFailure());
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(readRecovered(dir.path() + "/traces").accounts().stored(),
            (kWarmUp + kGroups) * 5);
}

}  // namespace
}  // namespace traced::testing
