// Tests a budget's rules on order, concurrency, waits and groups. tests/compare
// covers whole runs.

#include "analysis/budget/structure.h"

#include <gtest/gtest.h>

#include "analysis/reading/stream_loader.h"
#include "analysis/reading/trace_set.h"
#include "phrasing/budget_text.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced::testing {
namespace {

constexpr std::uint64_t kMarkedSteps = 3;

// A rank with `calls` all-reduces of a group in each step.
StreamTable rankOf(std::uint32_t rank, std::uint64_t calls,
                   std::uint32_t members = 2, const std::string& desc = "dp") {
  StreamBuilder stream(rank, 16);
  stream.addGroup(desc, 0, members);
  stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 4096, 4096);
  std::int64_t at = StreamBuilder::kIssueNs;
  std::uint64_t position = 0;
  std::uint64_t seq = 0;
  for (std::uint64_t step = 0; step <= kMarkedSteps; ++step) {
    stream.addStep(++position, at, step);
    for (std::uint64_t i = 0; i < calls; ++i) {
      stream.addOperation(++position, at += 1'000'000, 1, ++seq, 500'000);
    }
  }
  const TempDir dir;
  writeFile(dir.path() + "/rank", stream.takeChunk(true));
  const auto set = openTraceSet({dir.path()});
  EXPECT_TRUE(set);
  return StreamLoader(*set).load(set->streams[0]);
}

std::vector<StructureRow> rowsOf(const StreamTable& table) {
  StructureBuilder builder(StepRange(0, kMarkedSteps - 1));
  builder.add(table);
  return builder.finish();
}

std::vector<std::string> differences(const std::vector<StructureRow>& rows,
                                     const std::vector<StreamTable>& ranks) {
  StructureCheck check(rows);
  for (const StreamTable& rank : ranks) check.add(rank);
  const std::vector<StructureResult> results = std::move(check).finish();
  EXPECT_EQ(results.size(), 1u);
  return differenceTexts(rows.at(0), results.at(0));
}

using Sentences = std::vector<std::string>;

TEST(StructureTest, ARunMeetsWhatWasBuiltFromIt) {
  const std::vector<StructureRow> rows = rowsOf(rankOf(0, 2));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].group, "dp");
  EXPECT_EQ(rows[0].groups, "1 of 2");
  EXPECT_EQ(rows[0].structure.order,
            Sentences{"2 x all_reduce float32 4-8 KiB"});
  EXPECT_EQ(rows[0].structure.waited_at_once, 2u);
  EXPECT_EQ(differences(rows, {rankOf(0, 2)}), Sentences{});
}

TEST(StructureTest, AnotherOrderIsReported) {
  std::vector<StructureRow> rows = rowsOf(rankOf(0, 2));
  rows[0].structure.waited_at_once.reset();
  EXPECT_EQ(differences(rows, {rankOf(0, 2), rankOf(1, 3)}),
            Sentences{"rank 1 calls 3 x all_reduce float32 4-8 KiB where the "
                      "budget has 2 x all_reduce float32 4-8 KiB"});
}

TEST(StructureTest, ReportsTheFirstOfManyRanks) {
  std::vector<StructureRow> rows = rowsOf(rankOf(0, 2));
  rows[0].structure.waited_at_once.reset();
  std::vector<StreamTable> ranks;
  for (std::uint32_t rank = 0; rank < 12; ++rank) {
    ranks.push_back(rankOf(rank, 3));
  }
  const Sentences sentences = differences(rows, ranks);
  ASSERT_EQ(sentences.size(), 8u);
  EXPECT_EQ(sentences.back().find("rank 7 calls"), 0u) << sentences.back();
}

TEST(StructureTest, OtherGroupsAreReported) {
  const std::vector<StructureRow> rows = rowsOf(rankOf(0, 2));
  EXPECT_EQ(differences(rows, {rankOf(0, 2, 4)}),
            Sentences{"the groups are 1 of 4 where the budget has 1 of 2"});
  const Sentences gone = differences(rows, {rankOf(0, 2, 2, "tp")});
  ASSERT_FALSE(gone.empty());
  EXPECT_EQ(gone.back(), "the groups are none where the budget has 1 of 2");
}

}  // namespace
}  // namespace traced::testing
