// Tests the line that `tracectl diagnose --action` prints for scripts.

#include <gtest/gtest.h>

#include <string>

#include "hung_run.h"
#include "support/temp_dir.h"
#include "unit/cli/run_tracectl.h"

namespace traced::testing {
namespace {

TEST(DiagnoseActionTest, PrintsOneLine) {
  const TempDir dir;
  writeMismatchedRun(dir.path());
  const Ran ran = runTracectl("diagnose --action " + dir.path());
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_EQ(ran.out,
            "fix_program certain ranks=1 hosts=node-0 pids= "
            "rule=arguments_differ\n");
}

TEST(DiagnoseActionTest, AHealthyJobNeedsNone) {
  const TempDir dir;
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    RankBuilder& rank = job.rank(r);
    rank.end(addSum(rank, 64).id(), 10);
    writeRank(dir.path(), r, rank, Ending::kClosed);
  }
  const Ran ran = runTracectl("diagnose --action " + dir.path());
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "none certain ranks= hosts= pids= rule=healthy\n");
}

TEST(DiagnoseActionTest, IsOneOutputOfSeveral) {
  EXPECT_EQ(runTracectl("diagnose --action --json .").exit_code, 2);
}

}  // namespace
}  // namespace traced::testing
