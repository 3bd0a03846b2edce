// Tests commands on a part of a run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "support/temp_dir.h"
#include "unit/cli/run_tracectl.h"
#include "unit/cli/stepped_run.h"

namespace traced::testing {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

// Each rank issues 11 operations, 5 ms apart, the first 10 ms after its start.
// Step N begins at 15 + 15 N ms and has three operations.
class WindowTest : public ::testing::Test {
 protected:
  WindowTest() { writeSteppedRun(dir_.path()); }

  Ran run(const std::string& arguments) const {
    const Ran ran = runTracectl(arguments + " " + dir_.path());
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return ran;
  }
  Json json(const std::string& arguments) const {
    return Json::parse(run(arguments + " --json").out);
  }

  TempDir dir_;
};

TEST_F(WindowTest, ADiagnosisNeedsAWholeRunAndReportsThat) {
  for (const std::string option : {"--steps 1", "--since 0.1", "--until 1"}) {
    const Ran ran = runTracectl("diagnose " + option + " " + dir_.path());
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.err, HasSubstr("diagnose judges whole runs"));
  }
}

TEST_F(WindowTest, ReportCountsTheOperationsAndTheTimeOfSteps) {
  const Json whole = json("report");
  EXPECT_EQ(whole["total"]["count"], 22);
  EXPECT_FALSE(whole.contains("window"));
  const Json steps = json("report --steps 1-2");
  EXPECT_EQ(steps["total"]["count"], 12);
  EXPECT_EQ(steps["rank_time_ns"], 2 * 30'000'000);
  EXPECT_EQ(steps["window"]["steps"], "1-2");
  EXPECT_EQ(steps["window"]["outside"], 10);
  const Json one = json("report --steps 1 --by step");
  ASSERT_EQ(one["ops"].size(), 1u);
  EXPECT_EQ(one["ops"][0]["step"], "1");
}

TEST_F(WindowTest, ReportSplitsTimeAsItDoesWithoutAWindow) {
  const auto ofStep = [](const Json& report) {
    for (const Json& row : report["ops"]) {
      if (row["step"] == "1") return row["transfer"];
    }
    return Json();
  };
  EXPECT_EQ(ofStep(json("report --by step --steps 1")),
            ofStep(json("report --by step")));
}

TEST_F(WindowTest, TimeIsCountedFromWhereTheFirstRankBegan) {
  const Json report = json("report --since 0.031 --until 0.046");
  EXPECT_EQ(report["total"]["count"], 6) << "issued at 35, 40 and 45 ms";
  EXPECT_EQ(report["rank_time_ns"], 2 * 15'000'000);
  EXPECT_EQ(report["window"]["since_ns"], 31'000'000);
  EXPECT_EQ(json("report --until 0.01")["total"]["count"], 0);
  EXPECT_EQ(json("report --since 0.01")["total"]["count"], 22);
  EXPECT_THAT(run("report --steps 0 --since 0.02").out,
              HasSubstr("Only step 0, since 0.02 s; 18 operations outside "
                        "were skipped"));
  EXPECT_THAT(run("report --steps 77").out,
              HasSubstr("No operations are in the window."));
}

TEST_F(WindowTest, ShowAndExportHaveTheSameOperations) {
  std::size_t shown = 0;
  const Json rows = json("show --steps 1-2")["rows"];
  for (const Json& row : rows) {
    shown += row["ranks"].size();
  }
  EXPECT_EQ(shown, 12u);
  const Ran exported = run("export --format jsonl --steps 1-2");
  EXPECT_EQ(std::count(exported.out.begin(), exported.out.end(), '\n'), 12);
  EXPECT_THAT(exported.err,
              HasSubstr("note: Only steps 1-2; 10 operations outside "
                        "were skipped"));
  const Ran since = run("export --format jsonl --since 0.031 --until 0.046");
  EXPECT_EQ(std::count(since.out.begin(), since.out.end(), '\n'), 6);
}

TEST_F(WindowTest, TreeReportsWhatItLeavesOut) {
  const Json tree = json("tree --rank all --steps 0");
  EXPECT_THAT(tree["notes"].dump(),
              HasSubstr("Only step 0; 16 operations outside were skipped"));
  EXPECT_THAT(run("tree --rank all --since 0.031 --until 0.046").out,
              HasSubstr("16 operations outside"));
}

TEST_F(WindowTest, ReportDistinguishesLinks) {
  const Json report = json("report --by peer,op --steps 1");
  std::map<std::string, std::string> peers;
  for (const Json& row : report["ops"]) peers[row["op"]] = row["peer"];
  EXPECT_EQ(peers, (std::map<std::string, std::string>{
                       {"all_reduce", "-"}, {"recv", "0>1"}, {"send", "0>1"}}));
}

TEST_F(WindowTest, RefusesInvalidWindows) {
  for (const std::string wrong :
       {"--steps 9-1", "--steps x", "--since -1", "--until soon"}) {
    EXPECT_EQ(runTracectl("report " + wrong + " " + dir_.path()).exit_code, 2)
        << wrong;
  }
}

}  // namespace
}  // namespace traced::testing
