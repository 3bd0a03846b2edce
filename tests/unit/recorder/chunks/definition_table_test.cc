#include "recorder/chunks/definition_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace traced {
namespace {

using Table = DefinitionTable<std::string>;

std::vector<std::string> closeTable(Table& table, std::size_t room = 1000) {
  std::vector<std::string> said;
  const auto say = [&](const std::string& text) { said.push_back(text); };
  table.sayFresh(say);
  table.sayAgain(say, [&] { return said.size() < room; });
  table.nextChunk();
  return said;
}

TEST(DefinitionTableTest, SaysADefinitionOncePerChunkThatUsesIt) {
  Table table;
  table.define({1, 7}, "a");
  ASSERT_NE(table.useInThisChunk(1), nullptr);
  EXPECT_EQ(table.useInThisChunk(1), nullptr);
  EXPECT_TRUE(closeTable(table).empty());
  EXPECT_TRUE(closeTable(table).empty()) << "not used, not said";
  ASSERT_NE(table.useInThisChunk(1), nullptr) << "a chunk must decode alone";
}

TEST(DefinitionTableTest, SaysANewDefinitionEvenIfNoRowUsesItYet) {
  Table table;
  table.define({1, 7}, "a");
  EXPECT_EQ(closeTable(table), std::vector<std::string>{"a"});
}

TEST(DefinitionTableTest, SaysADefinitionAgainAfterAChunkThatWasGivenUp) {
  Table table;
  table.define({1, 7}, "a");
  ASSERT_NE(table.useInThisChunk(1), nullptr);
  table.nextChunk();
  ASSERT_NE(table.useInThisChunk(1), nullptr);
}

// Late threads may still name so many.
constexpr std::size_t kMostRetired = 16384 + 4;

TEST(DefinitionTableTest, ForgetsWhatLostItsCacheEntryAfterAWhile) {
  Table table;
  for (std::uint32_t id = 1; id <= 20000; ++id) {
    table.define({id, 7}, "x");
    if (id > 1) {
      ASSERT_NE(table.useInThisChunk(id - 1), nullptr)
          << "a thread may just have looked it up";
    }
    closeTable(table);
  }
  EXPECT_LE(table.size(), kMostRetired);
  EXPECT_EQ(table.useInThisChunk(1), nullptr);
  EXPECT_NE(table.useInThisChunk(20000 - 16000), nullptr)
      << "a thread may be late by thousands";
}

TEST(DefinitionTableTest, ForgetsWhatWasNeverCached) {
  Table table;
  for (std::uint32_t id = 1; id <= 20000; ++id) {
    table.define({id, kNotCached}, "x");
    closeTable(table);
  }
  EXPECT_LE(table.size(), kMostRetired);
}

TEST(DefinitionTableTest, AThreadMayBeLateByManyChunks) {
  Table table;
  table.define({1, kNotCached}, "x");
  for (int i = 0; i < 1000; ++i) closeTable(table);
  EXPECT_NE(table.useInThisChunk(1), nullptr);
}

TEST(DefinitionTableTest, KeepsANamedDefinitionUntilItIsRetired) {
  Table table;
  table.define({1, kUntilRetired}, "first");
  for (int i = 0; i < 10; ++i) closeTable(table);
  table.define({1, kUntilRetired}, "renamed");
  ASSERT_NE(table.useInThisChunk(1), nullptr);
  EXPECT_EQ(table.size(), 1u);
  table.nextChunk();
  table.repeat();
  EXPECT_EQ(closeTable(table), std::vector<std::string>{"renamed"});
  table.retire(1);
  for (int i = 0; i < 10; ++i) closeTable(table);
  table.repeat();
  EXPECT_TRUE(closeTable(table).empty()) << "nobody may use it any more";
}

TEST(DefinitionTableTest, WhatIsRenamedInAChunkIsSaidThereAgain) {
  Table table;
  table.define({1, kUntilRetired}, "first");
  ASSERT_NE(table.useInThisChunk(1), nullptr);
  EXPECT_EQ(table.useInThisChunk(1), nullptr);
  table.define({1, kUntilRetired}, "renamed");
  const std::string* const said = table.useInThisChunk(1);
  ASSERT_NE(said, nullptr);
  EXPECT_EQ(*said, "renamed");
  EXPECT_EQ(table.useInThisChunk(1), nullptr);
}

TEST(DefinitionTableTest, WhatIsRepeatedMayTakeSeveralChunks) {
  Table table;
  for (std::uint32_t id = 1; id <= 5; ++id) {
    table.define({id, kUntilRetired}, std::to_string(id));
  }
  closeTable(table);
  table.repeat();
  table.define({6, kUntilRetired}, "new");
  ASSERT_NE(table.useInThisChunk(5), nullptr);
  std::set<std::string> said{"5"};
  for (int chunk = 0; table.isToSayAgain(); ++chunk) {
    const auto some = closeTable(table, 2);
    EXPECT_LE(some.size(), 2u);
    if (chunk == 0) EXPECT_EQ(some.front(), "new") << "is never put off";
    said.insert(some.begin(), some.end());
  }
  EXPECT_EQ(said.size(), 6u);
}

TEST(DefinitionTableTest, AnIdThatIsDefinedAnewIsNotForgottenForItsFirstUse) {
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

TEST(DefinitionTableTest, WhatComesToTheSameEntryTwiceHoldsIt) {
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
