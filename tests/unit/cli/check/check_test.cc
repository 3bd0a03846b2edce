// Tests exit status and output of tracectl check.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/temp_dir.h"
#include "support/trace_file.h"
#include "support/write_file.h"
#include "unit/cli/run_tracectl.h"
#include "unit/cli/stepped_run.h"

namespace traced::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

class CheckTest : public ::testing::Test {
 protected:
  CheckTest() {
    writeSteppedRun(dir_.path() + "/good");
    const Ran ran = runTracectl("check --write-budget " + budget() + " " +
                                dir_.path() + "/good");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
  }

  std::string budget() const { return dir_.path() + "/budget.toml"; }
  std::string junit() const { return dir_.path() + "/junit.xml"; }
  Ran check(const SteppedRun& run, const std::string& options = "") {
    writeSteppedRun(dir_.path() + "/run", run);
    return runTracectl("check --budget " + budget() + " --junit " + junit() +
                       " " + options + " " + dir_.path() + "/run");
  }
  Json checkJson(const SteppedRun& run) {
    return Json::parse(check(run, "--json").out);
  }
  void writeBudget(const std::string& text) { writeFile(budget(), text); }

  TempDir dir_;
};

TEST_F(CheckTest, ARunMeetsTheBudgetWrittenFromIt) {
  const Ran ran = check({});
  EXPECT_EQ(ran.exit_code, 0) << ran.err << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("Budget met: 3 rows, 18 operations."));
  EXPECT_THAT(ran.out, HasSubstr("4 operations outside the steps"));
  EXPECT_THAT(readFile(junit()), HasSubstr("failures=\"0\" errors=\"0\""));
}

TEST_F(CheckTest, MoreCallsAreOver) {
  SteppedRun run;
  run.all_reduces = 3;
  const Ran ran = check(run);
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("1 of 3 budget rows not met, 0 new."));
  EXPECT_THAT(readFile(junit()),
              HasSubstr("<failure message=\"count/step OVER: "
                        "budget 2, measured 3"));
}

TEST_F(CheckTest, FewerCallsAreUnder) {
  SteppedRun run;
  run.all_reduces = 1;
  const Ran ran = check(run);
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("UNDER"));
}

TEST_F(CheckTest, AnotherDtypeIsMissingAndNewAndHinted) {
  SteppedRun run;
  run.dtype = v1::DTYPE_FLOAT32;
  const Ran ran = check(run);
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("MISSING"));
  EXPECT_THAT(ran.out, HasSubstr("NEW      the budget has bfloat16"));
  const Json json = checkJson(run);
  EXPECT_EQ(json["verdict"], "not_met");
  EXPECT_EQ(json["new"][0]["dtype"], "float32");
  EXPECT_EQ(json["new"][0]["count"], 2);
}

TEST_F(CheckTest, AtMostAllowsLess) {
  writeBudget("steps = \"0-2\"\n[[budget]]\ncount = 5\nat_most = true\n");
  EXPECT_EQ(check({}).exit_code, 0);
  writeBudget("steps = \"0-2\"\n[[budget]]\ncount = 2\nat_most = true\n");
  EXPECT_EQ(check({}).exit_code, 1);
}

TEST_F(CheckTest, LostRecordsAreNotMeasured) {
  SteppedRun run;
  run.dropped = 1;
  const Ran ran = check(run);
  EXPECT_EQ(ran.exit_code, 5);
  EXPECT_THAT(ran.out, HasSubstr("NOT JUDGED"));
  EXPECT_THAT(ran.err, HasSubstr("not measured: 1 records dropped"));
  EXPECT_THAT(readFile(junit()), HasSubstr("errors=\"1\" skipped=\"3\""));
  EXPECT_EQ(checkJson(run)["verdict"], "not_measured");
}

TEST_F(CheckTest, ALimitExceededInALossyTraceIsNotMeasured) {
  SteppedRun run;
  run.dropped = 1;
  run.all_reduces = 9;
  EXPECT_EQ(check(run).exit_code, 5);
}

TEST_F(CheckTest, AnUnclosedTraceIsNotMeasured) {
  SteppedRun run;
  run.closed = false;
  EXPECT_EQ(check(run).exit_code, 5);
}

TEST_F(CheckTest, AnAbsentRankIsNotMeasured) {
  SteppedRun run;
  run.world_size = 3;
  const Ran ran = check(run);
  EXPECT_EQ(ran.exit_code, 5);
  EXPECT_THAT(
      ran.err,
      HasSubstr("not measured: no trace of ranks 2 (the job has 3 ranks)"));
}

TEST_F(CheckTest, NoTraceAtAllIsNotMeasured) {
  const Ran ran =
      runTracectl("check --json --budget " + budget() + " --junit " + junit() +
                  " " + dir_.path() + "/nothing");
  EXPECT_EQ(ran.exit_code, 5);
  EXPECT_THAT(ran.err, HasSubstr("not measured: nothing readable"));
  EXPECT_THAT(readFile(junit()), HasSubstr("tests=\"1\" failures=\"0\""));
  EXPECT_EQ(Json::parse(ran.out)["verdict"], "not_measured");
}

TEST_F(CheckTest, StepsThatWereNotMarkedAreNotMeasured) {
  SteppedRun run;
  run.steps = 1;
  EXPECT_EQ(check(run).exit_code, 5);
  run.mark_steps = false;
  const Ran ran = check(run);
  EXPECT_EQ(ran.exit_code, 5);
  EXPECT_THAT(ran.err, HasSubstr("not all of the steps 0-2 were marked"));
}

TEST_F(CheckTest, StepsInWhichTracingWasOffAreNotMeasured) {
  SteppedRun run;
  run.switched_off = true;
  const Ran ran = check(run);
  EXPECT_EQ(ran.exit_code, 5);
  EXPECT_THAT(ran.err,
              HasSubstr("tracing was switched off in steps 0-2 on rank 1"));
  writeBudget("steps = \"2\"\n[[budget]]\ncount = 3\n");
  EXPECT_EQ(check(run).exit_code, 0);
}

TEST_F(CheckTest, DamageIsNotMeasured) {
  writeSteppedRun(dir_.path() + "/run");
  const std::string path = dir_.path() + "/run/rank-0.traced";
  std::string bytes = readFile(path);
  writeFile(path, bytes + bytes.substr(0, 60));
  const Ran ran =
      runTracectl("check --budget " + budget() + " " + dir_.path() + "/run");
  EXPECT_EQ(ran.exit_code, 5);
  EXPECT_THAT(ran.err, HasSubstr("60 bytes of the inputs could not be used"));
}

TEST_F(CheckTest, AnEmptyBudgetOrAnEmptyTraceNeverPasses) {
  writeBudget("schema = 1\n");
  Ran ran = check({});
  EXPECT_EQ(ran.exit_code, 5);
  EXPECT_THAT(ran.err, HasSubstr("not measured: the budget has no rows"));

  writeBudget("[[budget]]\ncount = 0\n");
  StreamBuilder empty(0, 1);
  writeFile(dir_.path() + "/empty/rank", empty.takeChunk(true));
  ran =
      runTracectl("check --budget " + budget() + " " + dir_.path() + "/empty");
  EXPECT_EQ(ran.exit_code, 5);
  EXPECT_THAT(ran.err, HasSubstr("no operations were recorded"));
}

TEST_F(CheckTest, ARowAboutAbsentRanksNeverPasses) {
  writeBudget("[[budget]]\nop = \"barrier\"\nranks = \"7\"\ncount = 0\n");
  EXPECT_EQ(check({}).exit_code, 5);
}

TEST_F(CheckTest, SimulatedCallsAreNotJudged) {
  SteppedRun run;
  run.simulated = true;
  EXPECT_EQ(check(run).exit_code, 0);
}

TEST_F(CheckTest, AWrongBudgetIsUsage) {
  writeBudget("[[budget]]\ncount = twelve\n");
  const Ran ran = check({});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, StartsWith("tracectl: " + budget() + ":2: "));
  EXPECT_EQ(runTracectl("check --budget /nowhere " + dir_.path()).exit_code, 2);
  EXPECT_EQ(runTracectl("check " + dir_.path()).exit_code, 2);
}

TEST_F(CheckTest, ABudgetIsReplacedOnlyByForceAndOnlyByAWholeTrace) {
  const std::string written = readFile(budget());
  const std::string good = dir_.path() + "/good";
  EXPECT_EQ(
      runTracectl("check --write-budget " + budget() + " " + good).exit_code,
      2);
  SteppedRun run;
  run.dropped = 1;
  writeSteppedRun(dir_.path() + "/run", run);
  EXPECT_EQ(runTracectl("check --force --write-budget " + budget() + " " +
                        dir_.path() + "/run")
                .exit_code,
            5);
  EXPECT_EQ(readFile(budget()), written);
  EXPECT_EQ(runTracectl("check --force --steps 1 --write-budget " + budget() +
                        " " + good)
                .exit_code,
            0);
  EXPECT_THAT(readFile(budget()), HasSubstr("steps = \"1\"\n"));
}

TEST_F(CheckTest, ABudgetOfAllStepsIsMetToo) {
  SteppedRun run;
  run.mark_steps = false;
  writeSteppedRun(dir_.path() + "/run", run);
  EXPECT_EQ(runTracectl("check --force --write-budget " + budget() + " " +
                        dir_.path() + "/run")
                .exit_code,
            0);
  EXPECT_THAT(readFile(budget()), Not(HasSubstr("\nsteps")));
  EXPECT_EQ(check(run).exit_code, 0);
  run.steps = 4;
  EXPECT_EQ(check(run).exit_code, 1);
}

}  // namespace
}  // namespace traced::testing
