#include "nccl_profiler/calls.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace traced::nccl {
namespace {

TEST(CallsTest, AHandleIsNoAddress) {
  const auto calls = std::make_unique<Calls>();
  int place = 0;
  EXPECT_FALSE(Calls::has(nullptr));
  EXPECT_FALSE(Calls::has(&place));
  EXPECT_FALSE(Calls::has(calls.get()));
  void* const handle = calls->add({{&place, 7}, &place});
  EXPECT_TRUE(Calls::has(handle));
  EXPECT_EQ(calls->find(handle).operation.recorder, &place);
  EXPECT_EQ(calls->find(handle).operation.id, 7u);
  EXPECT_EQ(calls->find(handle).next, &place);
}

TEST(CallsTest, ForgottenCallIsNotConfusedWithAnother) {
  const auto calls = std::make_unique<Calls>();
  int place = 0;
  void* const first = calls->add({{&place, 1}, nullptr});
  std::vector<void*> later;
  for (std::uint64_t id = 2; id < 2 + Calls::kEntries; ++id) {
    later.push_back(calls->add({{&place, id}, nullptr}));
  }
  EXPECT_EQ(calls->find(first).operation.recorder, nullptr);
  EXPECT_EQ(calls->find(later.front()).operation.id, 2u);
  EXPECT_EQ(calls->find(later.back()).operation.id, Calls::kEntries + 1);
}

TEST(CallsTest, ThreadsFindTheirOwnCalls) {
  const auto calls = std::make_unique<Calls>();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::uint64_t number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] {
      int place = 0;
      for (std::uint64_t i = 0; i < 20'000; ++i) {
        void* const handle = calls->add({{&place, number << 32 | i}, nullptr});
        if (!handle) continue;
        const Operation found = calls->find(handle).operation;
        const bool is_own =
            found.recorder == &place && found.id == (number << 32 | i);
        if (found.recorder && !is_own) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace traced::nccl
