#include "ring_io/ring/definition_cache.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace traced {
namespace {

class DefinitionCacheTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kSlots = 4096;

  std::uint32_t idFor(const std::string& text) {
    return cache_.idFor(text.data(), text.size());
  }

  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::unique_ptr<void, Free> memory_{[] {
    void* memory = std::aligned_alloc(kSlotBytes, Ring::bytesFor(kSlots));
    std::memset(memory, 0, Ring::bytesFor(kSlots));
    return memory;
  }()};
  Ring ring_{memory_.get(), kSlots};
  DefinitionCache cache_{ring_, RecordKind::kDefineText, 64};
};

TEST_F(DefinitionCacheTest, DefinesEqualContentOnce) {
  const std::uint32_t first = idFor("all_reduce");
  EXPECT_NE(first, 0u);
  const std::uint64_t used = ring_.used();
  EXPECT_EQ(idFor("all_reduce"), first);
  EXPECT_EQ(ring_.used(), used);
  EXPECT_NE(idFor("broadcast"), first);
}

TEST_F(DefinitionCacheTest, NeverGivesOneIdToTwoContents) {
  std::set<std::uint32_t> ids;
  for (int i = 0; i < 1000; ++i) {  // far more than there are entries
    EXPECT_TRUE(ids.insert(idFor("call " + std::to_string(i))).second);
  }
  Ring::Record record;
  std::set<std::string> defined;
  while (ring_.read(record)) {
    EXPECT_TRUE(
        defined.emplace(record.payload.substr(sizeof(DefinitionHead))).second);
  }
  EXPECT_EQ(defined.size(), 1000u);
}

TEST_F(DefinitionCacheTest, ContentsOfOneEntryAreNotDefinedInTurns) {
  const auto idOf = [&](std::uint64_t hash) {
    return cache_.idFor(hash, &hash, sizeof hash);
  };
  for (int turn = 0; turn < 3; ++turn) {
    for (std::uint64_t hash = 5; hash < 4 * 64; hash += 64) idOf(hash);
  }
  EXPECT_EQ(idOf(3 * 64 + 5), 4U) << "the fourth of four ids";
}

TEST_F(DefinitionCacheTest, GivesNoIdTwiceWhenAllAreUsedUp) {
  DefinitionCache cache(ring_, RecordKind::kDefineText, 64, UINT32_MAX);
  EXPECT_EQ(cache.idFor("a", 1), UINT32_MAX);
  EXPECT_EQ(cache.idFor("b", 1), 0u);
  EXPECT_EQ(cache.idFor("c", 1), 0u);
}

TEST_F(DefinitionCacheTest, KnowsLongContentByItsLastByte) {
  const std::string text(5000, 'x');
  EXPECT_EQ(idFor(text), idFor(text));
  EXPECT_NE(idFor(text), idFor(text.substr(1) + 'y'));
}

TEST_F(DefinitionCacheTest, GivesNoIdWhenTheRingHasNoRoom) {
  while (idFor(std::string(600, 'x') + std::to_string(ring_.used())) != 0) {
  }
  EXPECT_EQ(idFor(std::string(600, 'y')), 0u);
}

TEST_F(DefinitionCacheTest, ThreadsAgreeOnWhatAnIdMeans) {
  constexpr int kThreads = 4;
  std::vector<std::vector<std::pair<std::uint32_t, int>>> seen(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i) {
        const int content = i % 10;
        seen[t].emplace_back(idFor("call " + std::to_string(content)), content);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::map<std::uint32_t, std::string> defined;
  Ring::Record record;
  while (ring_.read(record)) {
    DefinitionHead head;
    std::memcpy(&head, record.payload.data(), sizeof head);
    EXPECT_TRUE(
        defined.emplace(head.id, record.payload.substr(sizeof head)).second);
  }
  for (const auto& of_thread : seen) {
    for (const auto& [id, content] : of_thread) {
      EXPECT_EQ(defined.at(id), "call " + std::to_string(content));
    }
  }
}

}  // namespace
}  // namespace traced
