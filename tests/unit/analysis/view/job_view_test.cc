#include "analysis/view/job_view.h"

#include <gtest/gtest.h>

#include "support/job_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

using testing::Ending;
using testing::JobBuilder;
using testing::RankBuilder;

// Rank r joins each of several all_reduces r ms late.
class JobViewTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kOperations = 10;

  JobViewTest() : job_(6) {
    for (std::uint32_t rank = 0; rank < job_.size(); ++rank) {
      RankBuilder& built = job_.rank(rank);
      built.addCall(v1::OPERATION_ALL_REDUCE, 1, 4096, 4096);
      for (std::int64_t i = 0; i < kOperations; ++i) {
        built.end(1, 100 * i + rank, 50 - std::int64_t{rank});
      }
    }
  }

  std::unique_ptr<JobView> view(const ViewSelection& selection) {
    for (std::uint32_t rank = 0; rank < job_.size(); ++rank) {
      testing::writeFile(dir_.path() + "/" + std::to_string(rank),
                         job_.rank(rank).write(Ending::kClosed));
    }
    auto set = openTraceSet({dir_.path()});
    EXPECT_TRUE(set);
    set_ = *std::move(set);
    return std::make_unique<JobView>(set_, overviewOf(set_), selection);
  }

  testing::TempDir dir_;
  JobBuilder job_;
  TraceSet set_;
};

TEST_F(JobViewTest, KeepsAllOfASmallRun) {
  const auto all = view({});
  EXPECT_EQ(all->chosen().size(), all->overview().ranks.size());
  EXPECT_EQ(all->matched().rows.size(), 10u);
  EXPECT_EQ(all->matched().cells.size(), 60u);
  EXPECT_EQ(all->leftOut().ranks, 0u);
}

TEST_F(JobViewTest, ReportsTheLastRankEvenIfItIsNotShown) {
  ViewSelection selection;
  selection.ranks = {1};
  const auto one = view(selection);
  ASSERT_EQ(one->run().streams.size(), 1u);
  ASSERT_EQ(one->matched().rows.size(), 10u);
  const auto latest = one->latestOf(one->matched().rows[3]);
  ASSERT_TRUE(latest);
  EXPECT_EQ(latest->rank, 5u);
  EXPECT_EQ(latest->ready_ns - latest->before_ns, RankBuilder::kMs);
  EXPECT_EQ(one->leftOut().ranks, 5u);
  EXPECT_EQ(one->leftOut().of_ranks, 50u);
}

TEST_F(JobViewTest, TooManyOperationsKeepSomeRanksAndTheLatest) {
  ViewSelection selection;
  selection.most_operations = 12;
  const auto some = view(selection);
  std::vector<std::uint32_t> ranks;
  for (const auto& stream : some->run().streams) {
    ranks.push_back(stream.table.header.rank());
  }
  // The rank that waits most, one in between, and one that never waits.
  EXPECT_EQ(ranks, (std::vector<std::uint32_t>{0, 2, 5}));
  ASSERT_EQ(some->matched().rows.size(), 4u);
  EXPECT_EQ(some->matched().rows.front().seq, 7u);
  EXPECT_EQ(some->leftOut().too_many, 18u);
}

TEST_F(JobViewTest, TheLastSecondsBeginWithWhatHadNotEnded) {
  ViewSelection selection;
  // The end is at 950 ms after the first issue.
  selection.last_ns = 160 * RankBuilder::kMs;
  const auto last = view(selection);
  ASSERT_EQ(last->matched().rows.size(), 2u);
  EXPECT_EQ(last->matched().rows.front().seq, 9u);
  EXPECT_EQ(last->leftOut().of_window, 48u);
}

TEST_F(JobViewTest, RanksShowTheSameNumberOfOneCollective) {
  const auto all = view({});
  const auto first = all->correlationOf(all->matched().rows[0]);
  const auto second = all->correlationOf(all->matched().rows[1]);
  ASSERT_TRUE(first && second);
  EXPECT_NE(*first, *second);
}

}  // namespace
}  // namespace traced
