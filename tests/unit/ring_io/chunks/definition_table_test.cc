#include "ring_io/chunks/definition_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace traced {
namespace {

using Table = DefinitionTable<std::string>;

constexpr std::int64_t kSecondNs = 1'000'000'000;

std::vector<std::string> closeTable(Table& table, std::size_t room = 1000,
                                    std::int64_t now_ns = 0) {
  std::vector<std::string> there;
  const auto put = [&](const std::string& text) { there.push_back(text); };
  table.putFresh(put);
  table.putAgain(put, [&] { return there.size() < room; });
  table.nextChunk(now_ns);
  return there;
}

TEST(DefinitionTableTest, WritesADefinitionOncePerChunkThatUsesIt) {
  Table table;
  table.define({1, 7}, "a");
  ASSERT_NE(table.useInThisChunk(1), nullptr);
  EXPECT_EQ(table.useInThisChunk(1), nullptr);
  EXPECT_TRUE(closeTable(table).empty());
  EXPECT_TRUE(closeTable(table).empty()) << "not used, not there";
  ASSERT_NE(table.useInThisChunk(1), nullptr) << "a chunk must decode alone";
}

TEST(DefinitionTableTest, WritesANewDefinitionEvenIfNoRowUsesItYet) {
  Table table;
  table.define({1, 7}, "a");
  EXPECT_EQ(closeTable(table), std::vector<std::string>{"a"});
}

TEST(DefinitionTableTest, WritesADefinitionAgainAfterADiscardedChunk) {
  Table table;
  table.define({1, 7}, "a");
  ASSERT_NE(table.useInThisChunk(1), nullptr);
  table.nextChunk(0);
  ASSERT_NE(table.useInThisChunk(1), nullptr);
}

// Replaces `count` definitions one after the other, `within_ns` in total.
// Returns the first one that a late thread may still name.
std::uint32_t firstKept(std::uint32_t count, std::int64_t within_ns) {
  Table table;
  for (std::uint32_t id = 1; id <= count; ++id) {
    table.define({id, 7}, "x");
    if (id > 1) {
      EXPECT_NE(table.useInThisChunk(id - 1), nullptr)
          << "a thread may just have looked it up";
    }
    closeTable(table, 1000, within_ns / count * id);
  }
  std::uint32_t first = 1;
  while (!table.find(first)) ++first;
  EXPECT_LE(table.size(), count - first + 1);
  return first;
}

TEST(DefinitionTableTest, ForgetsADefinitionSomeTimeAfterItsCacheEntry) {
  EXPECT_EQ(firstKept(3000, 3 * kSecondNs), 1U);
  EXPECT_NEAR(firstKept(8000, 8 * kSecondNs), 3000, 5);
  EXPECT_NEAR(firstKept(3000, 3000 * kSecondNs), 3000 - 1024, 5);
  EXPECT_NEAR(firstKept(20'000, kSecondNs), 20'000 - 16'384, 5);
}

TEST(DefinitionTableTest, ForgetsUncachedDefinitions) {
  Table table;
  for (std::uint32_t id = 1; id <= 3000; ++id) {
    table.define({id, kNotCached}, "x");
    closeTable(table, 1000, id * kSecondNs);
  }
  EXPECT_LE(table.size(), 1024U + 5);
}

TEST(DefinitionTableTest, AThreadMayBeLateByManyChunks) {
  Table table;
  table.define({1, kNotCached}, "x");
  for (int i = 0; i < 1000; ++i) closeTable(table, 1000, i * kSecondNs);
  EXPECT_NE(table.useInThisChunk(1), nullptr);
}

TEST(DefinitionTableTest, KeepsANamedDefinitionUntilItIsRetired) {
  Table table;
  table.define({1, kUntilRetired}, "first");
  for (int i = 0; i < 10; ++i) closeTable(table);
  table.define({1, kUntilRetired}, "renamed");
  ASSERT_NE(table.useInThisChunk(1), nullptr);
  EXPECT_EQ(table.size(), 1u);
  table.nextChunk(0);
  table.repeat();
  EXPECT_EQ(closeTable(table), std::vector<std::string>{"renamed"});
  table.retire(1);
  for (int i = 0; i < 10; ++i) closeTable(table);
  table.repeat();
  EXPECT_TRUE(closeTable(table).empty()) << "nobody may use it any more";
}

TEST(DefinitionTableTest, WritesARenamedDefinitionAgainInTheSameChunk) {
  Table table;
  table.define({1, kUntilRetired}, "first");
  ASSERT_NE(table.useInThisChunk(1), nullptr);
  EXPECT_EQ(table.useInThisChunk(1), nullptr);
  table.define({1, kUntilRetired}, "renamed");
  const std::string* const put = table.useInThisChunk(1);
  ASSERT_NE(put, nullptr);
  EXPECT_EQ(*put, "renamed");
  EXPECT_EQ(table.useInThisChunk(1), nullptr);
}

TEST(DefinitionTableTest, RepetitionsMayTakeSeveralChunks) {
  Table table;
  for (std::uint32_t id = 1; id <= 5; ++id) {
    table.define({id, kUntilRetired}, std::to_string(id));
  }
  closeTable(table);
  table.repeat();
  table.define({6, kUntilRetired}, "new");
  ASSERT_NE(table.useInThisChunk(5), nullptr);
  std::set<std::string> there{"5"};
  for (int chunk = 0; table.isRepeating(); ++chunk) {
    const auto some = closeTable(table, 2);
    EXPECT_LE(some.size(), 2u);
    if (chunk == 0) EXPECT_EQ(some.front(), "new") << "is never put off";
    there.insert(some.begin(), some.end());
  }
  EXPECT_EQ(there.size(), 6u);
}

TEST(DefinitionTableTest, ARedefinedIdIsNotForgottenBecauseOfItsFirstUse) {
  Table table;
  table.define({1, kNotCached}, "first");
  table.define({1, kUntilRetired}, "second");
  for (std::uint32_t id = 2; id <= 20000; ++id) {
    table.define({id, kNotCached}, "x");
    closeTable(table);
  }
  ASSERT_NE(table.find(1), nullptr);
  EXPECT_EQ(*table.find(1), "second");
}

TEST(DefinitionTableTest, RedefinitionKeepsAnEntryAlive) {
  Table table;
  for (std::uint32_t id = 1; id <= 20000; ++id) {
    table.define({1, 7}, "read again");
    table.define({id + 1, kNotCached}, "x");
    closeTable(table);
  }
  EXPECT_NE(table.find(1), nullptr);
}

}  // namespace
}  // namespace traced
