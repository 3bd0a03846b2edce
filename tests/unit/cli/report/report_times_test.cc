// Tests the output for times that are known only as an interval.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "support/job_builder.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"
#include "unit/cli/run_tracectl.h"

namespace traced::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Rank 1 receives a message 300 ms after rank 0 sent it; rank 0 may have waited
// for it or not. Rank 1 then delays rank 0 by 200 ms in an all-reduce. Together
// this is 200 to 500 of 800 ms.
class ReportTimesTest : public ::testing::Test {
 protected:
  ReportTimesTest() {
    constexpr std::int64_t kMs = 1'000'000;
    for (const std::uint32_t rank : {0u, 1u}) {
      StreamBuilder stream(rank, 2);
      stream.addGroup("dp", 0, 2).set_group_rank(rank);
      stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 1'000, 1'000);
      v1::Call& message = stream.addCall(
          rank == 0 ? v1::OPERATION_SEND : v1::OPERATION_RECV, 1, 1'000, 0);
      message.set_peer_plus_1(2 - rank);
      message.set_peer_global_plus_1(2 - rank);
      const std::int64_t late = rank;
      const std::int64_t at = StreamBuilder::kIssueNs;
      stream.addOperation(1, at + late * 200 * kMs, 1, 1,
                          (200 - late * 200) * kMs);
      stream.addOperation(2, at + (200 + late * 300) * kMs, 2, 2,
                          (300 - late * 300) * kMs);
      writeFile(dir_.path() + "/" + std::to_string(rank),
                stream.takeChunk(true));
    }
  }

  TempDir dir_;
};

TEST_F(ReportTimesTest, AWaitThatMayBeForAPeerOrNotHasAnUnknownReason) {
  EXPECT_THAT(runTracectl("report " + dir_.path()).out,
              HasSubstr("62.5 % of the run: 25.0 % waiting for the slowest "
                        "rank, 37.5 % in waits of unknown\nreason."));
}

// Returns the report of 20 steps, each of 40 ms or what a rank computes.
std::string reportOf(
    const std::function<std::int64_t(std::uint32_t, int)>& computing_ms) {
  JobBuilder job(2);
  std::int64_t at_ms = 0;
  for (int step = 0; step < 20; ++step) {
    const std::int64_t most_ms =
        std::max(computing_ms(0, step), computing_ms(1, step));
    for (std::uint32_t r = 0; r < 2; ++r) {
      RankBuilder& rank = job.rank(r);
      if (step == 0) rank.addCall(v1::OPERATION_ALL_REDUCE, 1);
      rank.beginStep(static_cast<std::uint64_t>(step), at_ms);
      const std::int64_t own_ms = computing_ms(r, step);
      rank.end(1, at_ms + own_ms, most_ms - own_ms + 1);
    }
    at_ms += most_ms + 1;
  }
  const TempDir dir;
  for (std::uint32_t r = 0; r < 2; ++r) {
    writeFile(dir.path() + "/rank-" + std::to_string(r) + ".traced",
              job.rank(r).write(Ending::kClosed));
  }
  return runTracectl("report " + dir.path()).out;
}

TEST(ReportStepsTest, AStallIsOfAllRanks) {
  const auto stalls = [](std::uint32_t, int step) {
    return step % 5 == 4 ? 100 : 40;
  };
  EXPECT_THAT(reportOf(stalls), HasSubstr("In 3 steps all ranks computed"));
  const auto of_one = [](std::uint32_t rank, int step) {
    return rank == 1 && step % 5 == 4 ? 100 : 40;
  };
  EXPECT_THAT(reportOf(of_one), Not(HasSubstr("all ranks computed")));
  // Rank 1 computes as long as ever, and no longer waits.
  const auto changes_places = [](std::uint32_t rank, int step) {
    return rank == 1 ? 60 : step % 5 == 4 ? 115 : 10;
  };
  EXPECT_THAT(reportOf(changes_places), Not(HasSubstr("all ranks computed")));
}

}  // namespace
}  // namespace traced::testing
