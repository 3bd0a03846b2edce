#include "ring_io/chunks/stack_parts.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace traced {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

v1::Code codeOf(std::uint64_t id, const std::string& function = "") {
  v1::Code code;
  code.set_id(id);
  code.set_function(function);
  return code;
}

class CodeTableTest : public ::testing::Test {
 protected:
  // Writes a chunk that uses these ids, and begins another one. Returns the
  // code that the chunk defines, each entry as id and function name.
  std::vector<std::string> chunk(const std::vector<std::uint64_t>& used = {}) {
    std::vector<std::string> there;
    const auto put = [&](const v1::Code& code) {
      there.push_back(std::to_string(code.id()) + code.function());
    };
    for (const std::uint64_t id : used) {
      if (const v1::Code* code = table_.useInThisChunk(id)) put(*code);
    }
    table_.putFresh(put);
    table_.putAgain(put, [] { return true; });
    table_.nextChunk();
    return there;
  }
  CodeTable table_;
};

TEST_F(CodeTableTest, EachChunkDefinesUsedAndNewCodeOnce) {
  table_.define(codeOf(1));
  table_.define(codeOf(2));
  table_.define(codeOf(1));
  EXPECT_THAT(chunk({2, 2}), ElementsAre("2", "1"));
  EXPECT_THAT(chunk({2, 7}), ElementsAre("2"));
  EXPECT_THAT(chunk(), IsEmpty());
}

TEST_F(CodeTableTest, WritesANameThatNothingUsesAnyMore) {
  table_.define(codeOf(1));
  EXPECT_THAT(chunk({1}), ElementsAre("1"));
  EXPECT_TRUE(table_.name(codeOf(1, "run")));
  EXPECT_FALSE(table_.name(codeOf(9, "unheard of")));
  EXPECT_THAT(chunk(), ElementsAre("1run"));
  EXPECT_THAT(chunk({1}), ElementsAre("1run"));
  EXPECT_THAT(chunk(), IsEmpty());
}

TEST_F(CodeTableTest, WritesANameInTheChunkThatDefinedTheCode) {
  table_.define(codeOf(1));
  ASSERT_NE(table_.useInThisChunk(1), nullptr);
  table_.name(codeOf(1, "run"));
  EXPECT_THAT(chunk({1}), ElementsAre("1run"));
}

TEST_F(CodeTableTest, ARepetitionDefinesAllCode) {
  table_.define(codeOf(1));
  table_.define(codeOf(2));
  table_.name(codeOf(2, "run"));
  chunk();
  table_.repeat();
  EXPECT_THAT(chunk(), UnorderedElementsAre("1", "2run"));
}

TEST_F(CodeTableTest, EachCodeIsNewOnce) {
  table_.define(codeOf(1));
  table_.define(codeOf(1));
  EXPECT_EQ(table_.takeNew().size(), 1u);
  table_.define(codeOf(1));
  EXPECT_EQ(table_.takeNew().size(), 0u);
}

TEST_F(CodeTableTest, IsBounded) {
  for (std::uint64_t id = 1; id <= CodeTable::kMaxCode + 10; ++id) {
    table_.define(codeOf(id));
  }
  EXPECT_EQ(table_.takeNew().size(), CodeTable::kMaxCode);
  EXPECT_EQ(table_.useInThisChunk(CodeTable::kMaxCode + 1), nullptr);
}

}  // namespace
}  // namespace traced
