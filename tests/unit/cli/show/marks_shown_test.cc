// Tests events of a program in the outputs that show them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/temp_dir.h"
#include "unit/cli/run_tracectl.h"
#include "unit/cli/stepped_run.h"

namespace traced::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MarksShownTest : public ::testing::Test {
 protected:
  void SetUp() override {
    SteppedRun run;
    run.marks = true;
    writeSteppedRun(dir_.path(), run);
  }
  std::string out(const std::string& arguments) const {
    const Ran ran = runTracectl(arguments + " " + dir_.path());
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    return ran.out;
  }
  TempDir dir_;
};

TEST_F(MarksShownTest, ExportedTextHasThemBetweenTheCalls) {
  const std::string text = out("export --format text");
  EXPECT_THAT(text, HasSubstr("[FLUSH] rank 1 +0.060000 s the trigger file was "
                              "touched\n[FAILURE] rank 1 +0.061000 s recv #3 "
                              "on dp failed: Connection closed?by peer\n"
                              "[ABORT] rank 1 +0.062000 s dp is aborted\n"
                              "[SHUTDOWN_FAILED] rank 1 +0.063000 s shutting "
                              "down dp failed: Connection closed?by peer\n"));
  EXPECT_LT(text.rfind("recv #3 on dp (2 ranks 0-1)"), text.find("[FLUSH]"));
  EXPECT_GT(text.rfind("broadcast #8"), text.find("[SHUTDOWN_FAILED]"));
}

TEST_F(MarksShownTest, ShowHasThemAsJson) {
  const auto marks = nlohmann::json::parse(out("show --json")).at("marks");
  ASSERT_EQ(marks.size(), 4u);
  EXPECT_EQ(marks[0].at("kind"), "flush");
  EXPECT_FALSE(marks[0].contains("op_id"));
  EXPECT_FALSE(marks[0].contains("group"));
  EXPECT_EQ(marks[1].at("kind"), "failure");
  EXPECT_EQ(marks[1].at("rank"), 1);
  EXPECT_EQ(marks[1].at("text"), "Connection closed\nby peer");
  EXPECT_EQ(marks[1].at("op_id").get<int>() + 3,
            marks[1].at("position").get<int>());
  EXPECT_EQ(marks[1].at("at_ns"), marks[1].at("mark_ns"));
  EXPECT_EQ(marks[2].at("group"), "dp");
  EXPECT_EQ(marks[3].at("kind"), "shutdown_failed");
}

TEST_F(MarksShownTest, ShowsMarksOfTheSelectedRanks) {
  EXPECT_THAT(out("show --ranks 1"), HasSubstr("rank 1: dp is aborted"));
  EXPECT_THAT(out("show --ranks 0"), Not(HasSubstr("aborted")));
  EXPECT_THAT(out("show --scope crossnode"),
              HasSubstr("No operations to show.\n 50.000 ms, rank 1: the "
                        "trigger file was touched\n"));
}

TEST_F(MarksShownTest, InfoCountsThem) {
  const auto ranks = nlohmann::json::parse(out("info --json")).at("ranks");
  EXPECT_EQ(ranks.at(0).at("marks").size(), 0u);
  EXPECT_EQ(ranks.at(1).at("marks").dump(),
            R"({"abort":1,"failure":1,"flush":1,"shutdown_failed":1})");
}

TEST_F(MarksShownTest, ShowsMarksOfUnknownGroups) {
  StreamBuilder stream(0, 1, 77);
  const std::string file = dir_.path() + "/unknown/file";
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 40;
  std::uint64_t position = 1;
  for (const std::uint64_t id : {std::uint64_t{5}, kHuge}) {
    for (const std::uint32_t kind :
         {v1::MARK_KIND_FAILURE, v1::MARK_KIND_ABORT}) {
      stream.add(MarkRow{position++, StreamBuilder::kIssueNs, kind, id, 9});
    }
  }
  stream.add(MarkRow{position++, StreamBuilder::kIssueNs, 99, 0, 9});
  writeFile(file, stream.takeChunk(true));
  const Ran ran = runTracectl("show " + file);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("an operation failed\n"));
  EXPECT_THAT(ran.out, HasSubstr("a group is aborted\n"));
}

TEST_F(MarksShownTest, TheTriggerFileIsNoTraceAndNoNews) {
  writeFile(dir_.path() + "/flush", "");
  writeFile(dir_.path() + "/below/flush", "now\n");
  out("info --strict");
}

}  // namespace
}  // namespace traced::testing
