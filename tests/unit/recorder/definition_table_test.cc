#include "recorder/definition_table.h"

#include <gtest/gtest.h>

#include <string>

namespace traced {
namespace {

using Table = DefinitionTable<std::string>;

std::vector<std::string> closeTable(Table& table) {
  std::vector<std::string> said;
  table.sayFresh([&](const std::string& text) { said.push_back(text); });
  table.nextChunk();
  return said;
}

TEST(DefinitionTableTest, SaysADefinitionOncePerChunkThatUsesIt) {
  Table table;
  table.define({1, 7}, "a");
  ASSERT_NE(table.firstUse(1), nullptr);
  EXPECT_EQ(table.firstUse(1), nullptr);
  EXPECT_TRUE(closeTable(table).empty());
  EXPECT_TRUE(closeTable(table).empty()) << "not used, not said";
  ASSERT_NE(table.firstUse(1), nullptr) << "a chunk must decode alone";
}

TEST(DefinitionTableTest, SaysANewDefinitionEvenIfNoRowUsesItYet) {
  Table table;
  table.define({1, 7}, "a");
  EXPECT_EQ(closeTable(table), std::vector<std::string>{"a"});
}

TEST(DefinitionTableTest, SaysADefinitionAgainAfterAChunkThatWasGivenUp) {
  Table table;
  table.define({1, 7}, "a");
  ASSERT_NE(table.firstUse(1), nullptr);
  table.nextChunk();
  ASSERT_NE(table.firstUse(1), nullptr);
}

TEST(DefinitionTableTest, ForgetsWhatLostItsCacheEntryAfterAWhile) {
  Table table;
  for (std::uint32_t id = 1; id <= 1000; ++id) {
    table.define({id, 7}, "x");
    if (id > 1) {
      ASSERT_NE(table.firstUse(id - 1), nullptr)
          << "a thread may just have looked it up";
    }
    closeTable(table);
  }
  EXPECT_LE(table.size(), 4u);
}

TEST(DefinitionTableTest, ForgetsWhatWasNeverCached) {
  Table table;
  for (std::uint32_t id = 1; id <= 1000; ++id) {
    table.define({id, kNotCached}, "x");
    closeTable(table);
  }
  EXPECT_LE(table.size(), 4u);
}

TEST(DefinitionTableTest, KeepsANamedDefinitionUntilItIsRetired) {
  Table table;
  table.define({1, kUntilRetired}, "first");
  for (int i = 0; i < 10; ++i) closeTable(table);
  table.define({1, kUntilRetired}, "renamed");
  ASSERT_NE(table.firstUse(1), nullptr);
  EXPECT_EQ(table.size(), 1u);
  table.retire(1);
  for (int i = 0; i < 10; ++i) closeTable(table);
  EXPECT_EQ(table.size(), 0u);
}

}  // namespace
}  // namespace traced
