// Tests which module created which nodes of the autograd graph.

#include "recorder/context/module_log.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace traced {
namespace {

TEST(ModuleLogTest, ANodeIsOfTheModuleThatRanWhenItWasMade) {
  ModuleLog log;
  EXPECT_EQ(log.at(5), std::nullopt) << "nothing was noted";
  log.note(10, 1);
  log.note(20, 2);
  log.note(30, 1);
  log.note(40, 0);
  EXPECT_EQ(log.at(9), std::nullopt) << "made before";
  EXPECT_EQ(log.at(10), 1u);
  EXPECT_EQ(log.at(19), 1u);
  EXPECT_EQ(log.at(20), 2u);
  EXPECT_EQ(log.at(35), 1u);
  EXPECT_EQ(log.at(1000), 0u);
}

TEST(ModuleLogTest, ModulesThatMadeNoNodesLeaveNoTrace) {
  ModuleLog log;
  log.note(10, 1);
  for (std::uint32_t module = 2; module < 2 * ModuleLog::kEntries; ++module) {
    log.note(20, module);
  }
  log.note(20, 7);
  EXPECT_EQ(log.at(10), 1u) << "it was not pushed out";
  EXPECT_EQ(log.at(20), 7u);
}

TEST(ModuleLogTest, ForgetsOldNodes) {
  ModuleLog log;
  const auto count = static_cast<std::uint32_t>(ModuleLog::kEntries + 100);
  for (std::uint32_t i = 0; i < count; ++i) log.note(10 * i, i + 1);
  EXPECT_EQ(log.at(5), std::nullopt);
  EXPECT_EQ(log.at(995), std::nullopt);
  const std::uint32_t kept = 200;
  EXPECT_EQ(log.at(10 * kept + 3), kept + 1);
  EXPECT_EQ(log.at(10 * count), count);
}

// Each node belongs to the module with its own number, so a wrong answer is
// detected.
TEST(ModuleLogTest, OtherThreadsReadDuringReplacement) {
  ModuleLog log;
  std::atomic<std::uint32_t> made{0};
  const auto count = static_cast<std::uint32_t>(ModuleLog::kEntries * 5 / 4);
  std::thread reader([&] {
    std::uint64_t wrong = 0, found = 0;
    for (std::uint32_t now = 0; now < count;) {
      now = made.load();
      for (const std::uint64_t back :
           {std::size_t{1}, ModuleLog::kEntries / 2, ModuleLog::kEntries - 2,
            ModuleLog::kEntries}) {
        if (back > now) continue;
        const auto module = log.at(now - back);
        found += module.has_value();
        wrong += module && *module != now - back + 1;
      }
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_GT(found, 0u);
  });
  for (std::uint32_t i = 0; i < count; ++i) {
    log.note(i, i + 1);
    made.store(i + 1);
  }
  reader.join();
}

TEST(ModuleLogTest, ALogOutlivesItsThreadForAWhile) {
  for (std::uint64_t id = 1000; id < 1100; ++id) {
    std::thread([id] { moduleLogOfThread(id).note(1, 7); }).join();
  }
  ASSERT_NE(findModuleLog(1099), nullptr);
  EXPECT_EQ(findModuleLog(1099)->at(1), 7u);
  EXPECT_EQ(findModuleLog(1000), nullptr) << "many have ended since";
  EXPECT_EQ(findModuleLog(999), nullptr) << "there was none";
}

}  // namespace
}  // namespace traced
