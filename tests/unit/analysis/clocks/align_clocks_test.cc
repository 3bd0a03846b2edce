#include "analysis/clocks/align_clocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "analysis/stream/clock_models.h"
#include "simulated_hosts.h"
#include "support/temp_dir.h"
#include "support/test_seed.h"

namespace traced {
namespace {

using testing::ClockError;
using testing::SimulatedHosts;
using testing::SimulatedJob;
using testing::StreamBuilder;
using testing::TempDir;

double seconds(std::int64_t true_ns) {
  return static_cast<double>(true_ns - StreamBuilder::kIssueNs) / 1e9;
}

ClockError drifting(double offset_ms, double ppm) {
  return [=](std::int64_t true_ns) {
    return std::llround(offset_ms * 1e6 + ppm * 1e3 * seconds(true_ns));
  };
}

struct Score {
  double max_error_us = 0;
  double widest_us = 0;
  std::uint64_t judged = 0;
  std::uint64_t outside = 0;
  std::uint64_t unanswered = 0;
};

// Compares the models of all ranks but the first, whose clock is right, with
// the truth.
Score scoreOf(const SimulatedHosts& hosts, const AlignedClocks& clocks) {
  Score score;
  for (std::uint32_t rank = 1; rank < clocks.models.size(); ++rank) {
    const v1::ClockModel& clock = clocks.models[rank];
    for (const std::int64_t true_ns : hosts.trueInstants()) {
      const std::int64_t read_ns = hosts.read(rank, true_ns);
      const auto certified = certifiedNs(clock, read_ns);
      if (!certified) {
        ++score.unanswered;
        continue;
      }
      ++score.judged;
      score.outside +=
          true_ns < certified->low_ns || true_ns > certified->high_ns;
      score.widest_us = std::max(
          score.widest_us,
          static_cast<double>(certified->high_ns - certified->low_ns) / 1e3);
      score.max_error_us = std::max(
          score.max_error_us,
          std::abs(static_cast<double>(commonNs(clock, read_ns) - true_ns)) /
              1e3);
    }
  }
  return score;
}

struct AlignedRun {
  TempDir dir;
  SimulatedHosts hosts;
  TraceSet set;
  AlignedClocks clocks;
  Score score;

  AlignedRun(const SimulatedJob& job, std::uint64_t seed,
             std::vector<ClockError> errors)
      : hosts(job, seed, std::move(errors)) {
    hosts.write(dir.path());
    auto opened = openTraceSet({dir.path()});
    EXPECT_TRUE(opened);
    set = std::move(*opened);
    clocks = alignClocks(set);
    score = scoreOf(hosts, clocks);
  }
};

std::uint64_t seeds(std::uint64_t usual) {
  const char* count = std::getenv("TEST_SEEDS");
  return count ? std::strtoull(count, nullptr, 10) : usual;
}

TEST(AlignClocksTest, TruthIsCertifiedAndTheErrorSmallForOffsetAndDrift) {
  const std::uint64_t first = testing::testSeed();
  for (std::uint64_t seed = first; seed < first + seeds(10); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> ms(-50, 50), ppm(-50, 50);
    const AlignedRun run({}, seed,
                         {nullptr, drifting(ms(random), ppm(random))});
    EXPECT_EQ(run.clocks.models[1].source(), v1::CLOCK_SOURCE_COLLECTIVES);
    EXPECT_EQ(run.score.outside, 0u);
    EXPECT_EQ(run.score.unanswered, 0u);
    EXPECT_LE(run.score.max_error_us, 10);
    EXPECT_THAT(run.clocks.warnings, ::testing::IsEmpty());
  }
}

TEST(AlignClocksTest, TruthIsCertifiedBesideStepsAndRamps) {
  const std::uint64_t first = testing::testSeed();
  for (std::uint64_t seed = first; seed < first + seeds(10); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> ms(-50, 50), ppm(-50, 50), at(1, 3);
    const ClockError line = drifting(ms(random), ppm(random));
    // Only forward: a monotonic clock never goes back.
    const double step_at = at(random), step_ms = std::abs(ms(random));
    const double ramp = ppm(random);
    const ClockError stepping = [=](std::int64_t true_ns) {
      const double s = seconds(true_ns);
      return line(true_ns) + std::llround(1e3 * ramp * s * s / 8) +
             (s < step_at ? 0 : std::llround(step_ms * 1e6));
    };
    SimulatedJob job;
    job.ranks = 4;
    const AlignedRun run(job, seed, {nullptr, stepping, line, nullptr});
    EXPECT_EQ(run.score.outside, 0u);
    EXPECT_LE(run.score.max_error_us, 25);
    // The bounds contain a step that does not contradict them.
    if (step_ms < 1) continue;
    EXPECT_GT(run.score.unanswered + run.clocks.warnings.size(), 0u);
    EXPECT_LT(run.score.unanswered, job.operations / 50);
  }
}

TEST(AlignClocksTest, OneSidedBoundsAreNoAlignment) {
  SimulatedJob job;
  job.op = v1::OPERATION_BROADCAST;
  job.operations = 50;
  const AlignedRun run(job, testing::testSeed(), {nullptr, drifting(5, 0)});
  EXPECT_EQ(run.clocks.models[1].source(), v1::CLOCK_SOURCE_WALL_CLOCK);
  EXPECT_EQ(run.score.unanswered, run.hosts.trueInstants().size());
  ASSERT_EQ(run.clocks.warnings.size(), 1u);
  EXPECT_FALSE(run.clocks.warnings[0].stepped);
}

TEST(AlignClocksTest, StreamsOfOneBootShareTheirClock) {
  TempDir dir;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    StreamBuilder stream(rank);
    stream.header().set_boot_id("boot");
    testing::writeFile(dir.path() + "/" + std::to_string(rank),
                       stream.takeChunk(true));
  }
  const auto set = openTraceSet({dir.path()});
  ASSERT_TRUE(set);
  for (const v1::ClockModel& model : alignClocks(*set).models) {
    EXPECT_EQ(model.source(), v1::CLOCK_SOURCE_SAME_CLOCK);
    EXPECT_EQ(model.offset_ns(), 0);
  }
}

}  // namespace
}  // namespace traced
