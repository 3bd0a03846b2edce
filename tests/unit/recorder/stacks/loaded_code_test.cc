// Tests that loaded code can be read while the process forks.

#include "recorder/stacks/loaded_code.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace traced {
namespace {

TEST(LoadedListTest, AForkedChildCanLoadLibraries) {
  constexpr int kForks = 200;
  constexpr unsigned kSeconds = 60;
  std::atomic<bool> over{false};
  std::atomic<int> looks{0};
  std::thread reader([&] {
    while (!over) {
      visitLoaded([](dl_phdr_info*, std::size_t, void*) { return 0; }, nullptr);
      ++looks;
    }
  });
  while (looks == 0) std::this_thread::yield();
  int failed = 0;
  for (int i = 0; i < kForks && failed == 0; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(kSeconds);
      dl_iterate_phdr([](dl_phdr_info*, std::size_t, void*) { return 0; },
                      nullptr);
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    failed += status != 0;
  }
  over = true;
  reader.join();
  EXPECT_EQ(failed, 0) << "a child waited for " << kSeconds << " s";
}

}  // namespace
}  // namespace traced
