#include "base/threads.h"

#include <gtest/gtest.h>

#include <latch>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace traced {
namespace {

TEST(InThreadsTest, AllAreUnderWayAtOnceAndHaveEndedWhenItReturns) {
  std::latch all_here(4);
  std::vector<std::thread::id> ids(4);
  inThreads(4, [&](std::size_t i) {
    all_here.arrive_and_wait();
    ids[i] = std::this_thread::get_id();
  });
  EXPECT_EQ(ids[0], std::this_thread::get_id());
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), 4u);
}

TEST(InThreadsTest, ASingleThreadIsTheCallers) {
  std::size_t calls = 0;
  inThreads(1, [&](std::size_t i) { calls += i + 1; });
  EXPECT_EQ(calls, 1u);
}

TEST(InThreadsTest, RethrowsAfterAllThreadsEnded) {
  for (const std::size_t thrower : {0u, 1u, 2u}) {
    std::vector<char> ended(3);
    EXPECT_THROW(inThreads(3,
                           [&](std::size_t i) {
                             ended[i] = true;
                             if (i == thrower) throw std::runtime_error("it");
                           }),
                 std::runtime_error);
    EXPECT_EQ(ended, std::vector<char>(3, true));
  }
}

}  // namespace
}  // namespace traced
