// Tests that many groups of one role become one row.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"
#include "unit/cli/run_tracectl.h"

namespace traced::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

// Pairs of ranks, each a group called "tp"; all ranks are in "dp".
class GroupsFoldedTest : public ::testing::Test {
 protected:
  void write(std::uint32_t pairs) {
    constexpr std::int64_t kMs = 1'000'000;
    for (std::uint32_t rank = 0; rank < 2 * pairs; ++rank) {
      const std::uint32_t pair = rank / 2;
      StreamBuilder stream(rank, 2 * pairs);
      stream.addGroup("dp", 0, 2 * pairs);
      stream.addGroup("tp", 2 * pair, 2);
      stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 1024, 1024);
      stream.addCall(v1::OPERATION_ALL_REDUCE, 2, 1024, 1024);
      const std::int64_t at = StreamBuilder::kIssueNs;
      stream.addOperation(1, at, 1, 1, kMs);
      // The second pair takes longer.
      stream.addOperation(2, at + 10 * kMs, 2, 1, (1 + pair) * kMs);
      writeFile(dir_.path() + "/" + std::to_string(rank),
                stream.takeChunk(true));
    }
  }
  std::string report(const std::string& arguments = "") {
    return runTracectl("report " + arguments + " " + dir_.path()).out;
  }

  TempDir dir_;
};

TEST_F(GroupsFoldedTest, FourGroupsOfTheSameNameAreOneRow) {
  write(4);
  const std::string text = report();
  EXPECT_THAT(text, HasSubstr("tp (4 groups of 2)"));
  EXPECT_THAT(text, Not(HasSubstr("tp#2  ")));
  EXPECT_THAT(text, HasSubstr(" tp (4 groups of 2): a call took 1.00 to 4.00 "
                              "ms in transfer on the average of a group, "
                              "longest in\n tp#4."));
  EXPECT_THAT(text, HasSubstr("--groups all shows each group by itself"));
  EXPECT_THAT(text, HasSubstr(" dp "));
}

TEST_F(GroupsFoldedTest, ARowHasTheSumOfItsGroups) {
  write(4);
  const Json json = Json::parse(report("--groups fold --json"));
  ASSERT_EQ(json["ops"].size(), 2u);
  for (const Json& row : json["ops"]) EXPECT_EQ(row["count"], 8);
}

TEST_F(GroupsFoldedTest, AllUnfoldsThemAndTheJsonAlwaysHasThem) {
  write(4);
  EXPECT_THAT(report("--groups all"), HasSubstr("tp#4"));
  EXPECT_THAT(report("--groups all"), Not(HasSubstr("groups of 2")));
  EXPECT_EQ(Json::parse(report("--json"))["ops"].size(), 5u);
}

TEST_F(GroupsFoldedTest, AListHasOneRowForCallsThatAllMembersShare) {
  write(4);
  const std::string text = runTracectl("show " + dir_.path()).out;
  EXPECT_THAT(text, HasSubstr("  tp (4 groups of 2)      #1  all_reduce "));
  EXPECT_THAT(text, Not(HasSubstr("tp#2")));
  EXPECT_THAT(text, HasSubstr("\n Groups that are called alike"));
  const std::string all = runTracectl("show --groups all " + dir_.path()).out;
  EXPECT_THAT(all, ContainsRegex("\n[^\n]* tp#4 +#1  all_reduce "));
  EXPECT_THAT(all, Not(HasSubstr("groups of 2")));
}

TEST_F(GroupsFoldedTest, AGroupThatLacksAMemberHasARowOfItsOwn) {
  write(4);
  std::filesystem::remove(dir_.path() + "/7");
  const std::string text = runTracectl("show " + dir_.path()).out;
  EXPECT_THAT(text, HasSubstr("  tp (3 groups of 2)      #1  all_reduce "));
  EXPECT_THAT(text, ContainsRegex("\n[^\n]* tp#4 +#1  all_reduce "));
}

TEST_F(GroupsFoldedTest, FewGroupsHaveTheirOwnRows) {
  write(3);
  EXPECT_THAT(report(), HasSubstr("tp#3"));
  EXPECT_THAT(report(), Not(HasSubstr("groups of")));
}

}  // namespace
}  // namespace traced::testing
