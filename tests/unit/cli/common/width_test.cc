// Tests that reports are exactly as wide as the screen.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"
#include "unit/cli/example_run.h"
#include "unit/cli/run_tracectl.h"

namespace traced::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class WidthTest : public ::testing::Test {
 protected:
  WidthTest() { writeExampleRun(run()); }
  std::string run() const { return dir_.path() + "/run"; }
  // Returns the report with COLUMNS set to `columns`.
  std::string report(const std::string& columns,
                     const std::string& arguments = "") const {
    return runTracectl("report " + arguments + run(), "", "COLUMNS=" + columns)
        .out;
  }
  static std::size_t widest(const std::string& text) {
    std::istringstream lines(text);
    std::size_t most = 0;
    for (std::string line; std::getline(lines, line);) {
      most = std::max(most, line.size());
    }
    return most;
  }

  TempDir dir_;
};

TEST_F(WidthTest, AReportHas100ColumnsAndTheMostUsefulFigures) {
  for (const char* columns : {"", "40", "100", "none"}) {
    const std::string text = report(columns);
    EXPECT_LE(widest(text), 100u) << text;
    for (const char* column : {"calls", "bytes", "transfer ms", "share"}) {
      EXPECT_THAT(text, HasSubstr(column));
    }
    EXPECT_THAT(text, HasSubstr(" Hidden columns: host ms, busbw"));
    EXPECT_EQ(text.find("host ms"), text.rfind("host ms"));
  }
}

TEST_F(WidthTest, AWiderTerminalHasMoreColumns) {
  const std::string text = report("130");
  EXPECT_LE(widest(text), 130u);
  EXPECT_THAT(text, HasSubstr("for peers ms"));
  const std::string all = report("200");
  EXPECT_THAT(all, HasSubstr("host ms"));
  EXPECT_THAT(all, Not(HasSubstr("Hidden columns")));
  EXPECT_THAT(report("100", "--wide "), HasSubstr("host ms"));
}

TEST_F(WidthTest, AListHasColumnsForTheRanksThatFit) {
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    StreamBuilder stream(rank, 8);
    stream.addGroup("a group with a name of some length", 0, 8);
    stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
    stream.addOperation(1, StreamBuilder::kIssueNs, 1, 1, 500);
    writeFile(dir_.path() + "/wide/" + std::to_string(rank),
              stream.takeChunk(true));
  }
  const auto show = [this](const std::string& arguments, const char* columns) {
    return runTracectl("show " + arguments + dir_.path() + "/wide", "",
                       std::string("COLUMNS=") + columns)
        .out;
  };
  const std::string text = show("", "100");
  EXPECT_LE(widest(text), 100u) << text;
  EXPECT_THAT(text, HasSubstr("rank 1"));
  EXPECT_THAT(text, Not(HasSubstr("rank 7")));
  EXPECT_THAT(text, HasSubstr("-7 are in these rows too and not shown"));
  EXPECT_THAT(show("", "400"), HasSubstr("rank 7"));
  EXPECT_THAT(show("--ranks 0-7 ", "100"), HasSubstr("rank 7"));
}

TEST_F(WidthTest, KeepsTheSortColumn) {
  EXPECT_THAT(report("100", "--sort host "), HasSubstr("host ms"));
}

TEST_F(WidthTest, OutputWithoutATerminalHasNoColours) {
  EXPECT_THAT(report("100"), Not(HasSubstr("\033[")));
}

}  // namespace
}  // namespace traced::testing
