// Tests the output for times that are known only as an interval.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"
#include "unit/cli/run_tracectl.h"

namespace traced::testing {
namespace {

using ::testing::HasSubstr;

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

}  // namespace
}  // namespace traced::testing
