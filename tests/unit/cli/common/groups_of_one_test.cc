// Tests that commands that show groups name those with one member.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temp_dir.h"
#include "unit/cli/diagnose/hung_run.h"
#include "unit/cli/run_tracectl.h"

namespace traced::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Each rank reduces in the world and in a group of `members` ranks.
void writeRun(const std::string& directory, std::uint32_t members) {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t group =
        rank.addGroup("replicas", members == 1 ? r : 0, members);
    rank.end(rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id(), 0);
    rank.end(rank.addCall(v1::OPERATION_ALL_REDUCE, group).id(), 10);
    writeRank(directory, r, rank, Ending::kClosed);
  }
}

TEST(GroupsOfOneTest, AreNamedAsExchangingNothing) {
  const TempDir of_one;
  const TempDir of_two;
  writeRun(of_one.path(), 1);
  writeRun(of_two.path(), 2);
  for (const std::string command : {"diagnose ", "report ", "info "}) {
    const std::string one = runTracectl(command + of_one.path()).out;
    EXPECT_THAT(one, HasSubstr("Groups of one member exchange nothing: "
                               "\"replicas\", \"replicas#2\"."));
    const std::string two = runTracectl(command + of_two.path()).out;
    EXPECT_THAT(two, Not(HasSubstr("exchange nothing")));
  }
  const auto json = runTracectl("diagnose --json " + of_one.path()).out;
  EXPECT_THAT(json, HasSubstr("\"groups_of_one\""));
}

}  // namespace
}  // namespace traced::testing
