#include "analysis/stream/marks.h"

#include <gtest/gtest.h>

#include "analysis/reading/stream_loader.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

using testing::StreamBuilder;

constexpr std::int64_t kFirstMarkNs = StreamBuilder::kStartNs + 1'000;

Marks finished(std::initializer_list<MarkRow> rows) {
  Marks marks;
  for (const MarkRow& row : rows) marks.add(row);
  marks.finish(Instant(kFirstMarkNs), Instant(kFirstMarkNs + 900));
  return marks;
}

MarkRow step(std::uint64_t position, std::uint64_t number) {
  return {position, kFirstMarkNs, v1::MARK_KIND_STEP, number};
}
MarkRow disabled(std::uint64_t position, std::int64_t after_ns) {
  return {position, kFirstMarkNs + after_ns, v1::MARK_KIND_DISABLED, 0};
}
MarkRow enabled(std::uint64_t position, std::int64_t after_ns) {
  return {position, kFirstMarkNs + after_ns, v1::MARK_KIND_ENABLED, 0};
}

TEST(MarksTest, AnOperationBelongsToTheLastStepBeforeIt) {
  const Marks marks = finished({step(10, 7), step(20, 8), step(30, 0)});
  EXPECT_EQ(marks.stepOf(9), std::nullopt);
  EXPECT_EQ(marks.stepOf(11), 7u);
  EXPECT_EQ(marks.stepOf(19), 7u);
  EXPECT_EQ(marks.stepOf(21), 8u);
  EXPECT_EQ(marks.stepOf(1'000'000), 0u);
}

TEST(MarksTest, AStepWithoutANumberEndsTheOneBefore) {
  const MarkRow none = {20, kFirstMarkNs, v1::MARK_KIND_NO_STEP, 0};
  const Marks marks = finished({none, step(10, 7), step(30, 8)});
  EXPECT_EQ(marks.stepOf(19), 7u);
  EXPECT_EQ(marks.stepOf(21), std::nullopt);
  EXPECT_EQ(marks.stepOf(31), 8u);
  ASSERT_EQ(marks.steps().size(), 2u);
  EXPECT_EQ(marks.steps()[0].end_position, 20u);
}

TEST(MarksTest, MayBeAddedInAnyOrderAndCountOncePerPosition) {
  const Marks marks = finished({step(20, 8), step(10, 7), step(10, 99)});
  ASSERT_EQ(marks.steps().size(), 2u);
  EXPECT_EQ(marks.stepOf(15), 7u);
}

TEST(MarksTest, PausesAreFromDisabledToEnabled) {
  const Marks marks =
      finished({disabled(5, 100), disabled(6, 120), enabled(9, 150),
                enabled(10, 170), disabled(12, 200), enabled(13, 300)});
  ASSERT_EQ(marks.pauses().size(), 2u);
  EXPECT_EQ(marks.pauses()[0].begin_position, 5u);
  EXPECT_EQ(marks.pauses()[0].end_position, 9u);
  EXPECT_EQ(marks.pausedNs(), 50u + 100u);
}

TEST(MarksTest, APauseWithoutAnEndOrABeginningLastsToTheEdgeOfTheStream) {
  const Marks marks = finished({enabled(3, 200), disabled(9, 500)});
  ASSERT_EQ(marks.pauses().size(), 2u);
  EXPECT_EQ(marks.pauses()[0].begin_position, 0u);
  EXPECT_GT(marks.pauses()[1].end_position, 1u << 30);
  EXPECT_EQ(marks.pausedNs(), 200u + 400u);
}

TEST(MarksTest, AKindOfALaterVersionIsIgnored) {
  const Marks marks = finished({MarkRow{4, kFirstMarkNs, 99, 1}});
  EXPECT_TRUE(marks.steps().empty());
  EXPECT_TRUE(marks.pauses().empty());
}

TEST(MarksTest, EventsAreWhatHappenedToTheProgram) {
  const Marks marks = finished(
      {MarkRow{9, kFirstMarkNs + 5, v1::MARK_KIND_FAILURE, 7, 3}, step(4, 1),
       MarkRow{2, kFirstMarkNs, v1::MARK_KIND_FLUSH, 0}, enabled(5, 1)});
  ASSERT_EQ(marks.events().size(), 2u);
  EXPECT_EQ(marks.events()[0].kind, v1::MARK_KIND_FLUSH);
  EXPECT_EQ(marks.events()[1].kind, v1::MARK_KIND_FAILURE);
  EXPECT_EQ(marks.events()[1].position, 9u);
  EXPECT_EQ(marks.events()[1].at.ns(), kFirstMarkNs + 5);
  EXPECT_EQ(marks.events()[1].value, 7u);
  EXPECT_EQ(marks.events()[1].text, 3u);
}

TEST(MarksTest, AreRecordsOfTheirStream) {
  const testing::TempDir dir;
  StreamBuilder stream(0, 1);
  stream.addGroup("dp", 0, 1);
  stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
  stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64).set_simulated(true);
  stream.addOperation(1, kFirstMarkNs, 1, 1, 100);
  stream.addStep(5, kFirstMarkNs + 50'000, 3);
  stream.addOperation(6, kFirstMarkNs + 60'000, 2, 2, 100);
  std::string bytes = stream.takeChunk();
  stream.addStep(10, kFirstMarkNs + 99'000, 4);
  testing::writeFile(dir.path() + "/rank", bytes + stream.takeChunk(true));

  const auto set = openTraceSet({dir.path()});
  ASSERT_TRUE(set);
  const StreamTable table = StreamLoader(*set).load(set->streams[0]);
  EXPECT_EQ(table.rows_found, 10u);
  EXPECT_EQ(table.missing(), 0u);
  EXPECT_EQ(table.simulated, 1u);
  EXPECT_EQ(table.last.ns(), kFirstMarkNs + 99'000);
  EXPECT_EQ(table.marks.stepOf(table.operations[0].id), std::nullopt);
  EXPECT_EQ(table.marks.stepOf(table.operations[1].id), 3u);
}

}  // namespace
}  // namespace traced
