#include "analysis/clocks/aligned_streams.h"

#include <gtest/gtest.h>

#include <utility>

#include "simulated_hosts.h"
#include "support/temp_dir.h"

namespace traced {
namespace {

using testing::ClockError;
using testing::SimulatedHosts;
using testing::SimulatedJob;
using testing::TempDir;

// Expects the same streams when the clocks are delivered last.
void expectAllAreShownBefore(const TraceSet& set,
                             const AlignedClocks& expected) {
  std::vector<std::size_t> shown;
  const AlignedClocks clocks =
      readAndAlign(set, 2, [&](std::size_t i, StreamTable& table) {
        shown.push_back(i);
        EXPECT_EQ(table.header.stream_id(), set.streams[i].header.stream_id());
        EXPECT_FALSE(table.operations.empty());
      });
  EXPECT_EQ(shown, set.selected);
  ASSERT_EQ(clocks.models.size(), expected.models.size());
  for (std::size_t i = 0; i < clocks.models.size(); ++i) {
    EXPECT_EQ(clocks.models[i].SerializeAsString(),
              expected.models[i].SerializeAsString());
  }
  EXPECT_EQ(clocks.warnings, expected.warnings);
}

// Keeps little of each stream and reports it in rank order with its model, even
// above the limit.
void expectAllAreKept(const TraceSet& set, const AlignedClocks& expected) {
  for (const std::size_t most_bytes : {0, 3, 1000}) {
    std::vector<std::size_t> aligned;
    const AlignedClocks clocks = readAligned(
        set, 2, most_bytes, [&](std::size_t i, const StreamTable& table) {
          const std::uint64_t stream_id = table.header.stream_id();
          return KeptOfStream{
              2, [&, i, stream_id](const v1::ClockModel& clock) {
                aligned.push_back(i);
                EXPECT_EQ(stream_id, set.streams[i].header.stream_id());
                EXPECT_EQ(clock.SerializeAsString(),
                          expected.models[i].SerializeAsString());
              }};
        });
    EXPECT_EQ(aligned, set.selected) << most_bytes;
    EXPECT_EQ(clocks.warnings, expected.warnings);
  }
}

// Expects each selected stream once, whole, in rank order, with the model of a
// separate alignment.
void expectAllAreShown(const SimulatedJob& job) {
  TempDir dir;
  const ClockError ahead = [](std::int64_t) { return 3'000'000; };
  SimulatedHosts hosts(job, 1, std::vector<ClockError>(job.ranks, ahead));
  hosts.write(dir.path());
  const auto set = openTraceSet({dir.path()});
  ASSERT_TRUE(set);
  const AlignedClocks expected = alignClocks(*set);
  std::vector<std::size_t> shown;
  const AlignedClocks clocks = readAligned(
      *set, 2,
      [&](std::size_t i, StreamTable& table, const v1::ClockModel& clock) {
        shown.push_back(i);
        EXPECT_EQ(table.header.stream_id(), set->streams[i].header.stream_id());
        EXPECT_EQ(table.operations.size(), job.operations);
        EXPECT_EQ(clock.SerializeAsString(),
                  expected.models[i].SerializeAsString());
        StreamTable taken = std::move(table);
      });
  EXPECT_EQ(shown, set->selected);
  EXPECT_EQ(clocks.warnings, expected.warnings);
  expectAllAreShownBefore(*set, expected);
  expectAllAreKept(*set, expected);
}

TEST(AlignedStreamsTest, ShowsStreamsThatWereReadToAlignThem) {
  SimulatedJob job;
  job.ranks = 4;
  job.operations = 200;
  expectAllAreShown(job);
}

TEST(AlignedStreamsTest, ShowsStreamsOfHostsThatTakeTurns) {
  SimulatedJob job;
  job.ranks = 5;
  job.hosts = 2;
  job.operations = 200;
  expectAllAreShown(job);
}

TEST(AlignedStreamsTest, ShowsStreamsThatNothingAligns) {
  SimulatedJob job;
  job.ranks = 3;
  job.op = v1::OPERATION_BROADCAST;
  job.operations = 50;
  expectAllAreShown(job);
}

TEST(AlignedStreamsTest, ShowsStreamsThatAreTooLargeToBeKept) {
  SimulatedJob job;
  job.ranks = 3;
  job.operations = 140'000;
  expectAllAreShown(job);
}

}  // namespace
}  // namespace traced
