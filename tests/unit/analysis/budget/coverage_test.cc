#include "analysis/budget/coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/reading/stream_loader.h"
#include "phrasing/budget_text.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::StreamBuilder;

constexpr std::int64_t kFirstIssueNs = StreamBuilder::kStartNs + 1'000'000;

// A job of one rank with steps 0 to 2, at positions 10, 20 and 30.
class CoverageTest : public ::testing::Test {
 protected:
  CoverageTest() : stream_(0, 1) {
    for (std::uint64_t step = 0; step < 3; ++step) {
      stream_.addStep(10 * (step + 1), kFirstIssueNs, step);
    }
  }

  void pause(std::uint64_t from, std::uint64_t to) {
    stream_.add(MarkRow{from, kFirstIssueNs, v1::MARK_KIND_DISABLED, 0});
    stream_.add(MarkRow{to, kFirstIssueNs, v1::MARK_KIND_ENABLED, 0});
  }

  std::vector<std::string> gaps(const StepRange& steps, bool closed = true) {
    testing::writeFile(dir_.path() + "/rank", stream_.takeChunk(closed));
    const auto set = openTraceSet({dir_.path()});
    EXPECT_TRUE(set);
    const StreamTable table = StreamLoader(*set).load(set->streams[0]);
    RunSummary summary;
    summary.add(table);
    Coverage coverage({steps});
    coverage.add(table);
    return gapTexts(coverage.gaps(*set, summary));
  }

  testing::TempDir dir_;
  StreamBuilder stream_;
};

TEST_F(CoverageTest, ACompleteTraceHasNoGaps) {
  EXPECT_THAT(gaps(StepRange(0, 2)), IsEmpty());
}

TEST_F(CoverageTest, EveryStepMustBeMarked) {
  EXPECT_THAT(gaps(StepRange(1, 3)),
              ElementsAre("not all of the steps 1-3 were marked on rank 0"));
}

TEST_F(CoverageTest, ARangeOfAllNumbersIsNotCovered) {
  EXPECT_THAT(gaps(StepRange(0, ~std::uint64_t{0})),
              ElementsAre(HasSubstr("not all of the steps")));
}

TEST_F(CoverageTest, AllStepsNeedNoMarks) {
  EXPECT_THAT(gaps(StepRange()), IsEmpty());
}

TEST_F(CoverageTest, ATraceThatWasNotClosedMayLackAnything) {
  EXPECT_THAT(gaps(StepRange(), false), ElementsAre(HasSubstr("not closed")));
}

TEST_F(CoverageTest, ADropIsAGap) {
  stream_.drop(v1::DROP_REASON_RING_FULL, 1);
  EXPECT_THAT(gaps(StepRange()), ElementsAre(HasSubstr("1 records dropped")));
}

TEST_F(CoverageTest, OperationsOutsideTheScopeAreAGap) {
  stream_.payload().mutable_accounts()->set_left_out(7);
  EXPECT_THAT(gaps(StepRange()),
              ElementsAre("7 operations were not recorded (TRACED_SCOPE) on "
                          "rank 0"));
}

TEST_F(CoverageTest, AnAbsentRankIsAGap) {
  stream_.header().set_world_size(3);
  EXPECT_THAT(gaps(StepRange()),
              ElementsAre("no trace of ranks 1-2 (the job has 3 ranks)"));
}

TEST_F(CoverageTest, AJobOfUnknownSizeIsAGap) {
  stream_.header().set_world_size(0);
  EXPECT_THAT(gaps(StepRange()),
              ElementsAre(HasSubstr("does not contain the number of ranks")));
}

TEST_F(CoverageTest, APauseWithinTheStepsIsAGap) {
  pause(15, 16);
  EXPECT_THAT(gaps(StepRange(0, 1)),
              ElementsAre("tracing was switched off in steps 0-1 on rank 0"));
}

TEST_F(CoverageTest, APauseOutsideTheStepsIsNoGap) {
  pause(15, 16);
  EXPECT_THAT(gaps(StepRange(1, 2)), IsEmpty());
}

TEST_F(CoverageTest, TheLastOfManyPausesIsHeldAgainstTheSteps) {
  pause(11, 12);
  pause(13, 14);
  pause(31, 32);
  EXPECT_THAT(gaps(StepRange(2, 2)), ElementsAre(HasSubstr("switched off")));
}

TEST_F(CoverageTest, PausesOnBothSidesOfTheStepsAreNoGap) {
  pause(11, 12);
  pause(31, 32);
  EXPECT_THAT(gaps(StepRange(1, 1)), IsEmpty());
}

TEST_F(CoverageTest, APauseBeforeTheStepsThatReachesIntoThemIsAGap) {
  pause(5, 25);
  EXPECT_THAT(gaps(StepRange(1, 1)), ElementsAre(HasSubstr("switched off")));
}

TEST_F(CoverageTest, AnyPauseIsAGapWhereAllIsJudged) {
  pause(1, 2);
  EXPECT_THAT(gaps(StepRange()),
              ElementsAre("tracing was switched off on rank 0"));
}

TEST_F(CoverageTest, RowsAboutRanksThatThereAreNotAreNamed) {
  BudgetRow row;
  row.line = 7;
  row.ranks = absl::flat_hash_set<std::uint32_t>{0, 4};
  row.ranks_text = "0,4";
  const Budget budget{{row}};
  EXPECT_THAT(rowsWithoutRanks(budget, 5), IsEmpty());
  EXPECT_THAT(rowsWithoutRanks(budget, 4), ElementsAre(&budget.rows[0]));
  EXPECT_EQ(rowWithoutRanksText(row, 4),
            "line 7 of the budget is about ranks 0,4, but the job had only 4");
}

}  // namespace
}  // namespace traced
