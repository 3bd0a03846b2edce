// A diagnosis of digests: the end of a run, and what is said of the rest.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/job_builder.h"
#include "support/write_file.h"
#include "unit/cli/digest/digested_runs.h"

namespace traced::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint32_t kRanks = 3;

// Two chunks a rank, of which digests keep the second: `first` fills the first
// of them, and there rank 1 hangs.
template <typename First>
void writeHungEnd(const DigestedRuns& runs, First&& first) {
  JobBuilder job(kRanks);
  std::string bytes[kRanks];
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    RankBuilder& builder = job.rank(rank);
    const std::uint32_t call =
        builder.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
    builder.addCall(v1::OPERATION_ALL_REDUCE, 1, 8192);
    for (std::int64_t n = 0; n < 50; ++n) first(builder, rank, n, 10 * n);
    bytes[rank] = builder.stream().takeChunk();
    builder.end(call, 1000);
    if (rank != 1) builder.hang(call, 2000);
    builder.live(200'000);
    bytes[rank] += builder.write(Ending::kRecovered);
    writeFile(runs.traces() + "/run/" + std::to_string(rank), bytes[rank]);
  }
  const Ran made = runs.digest("run", "", "--latest 1");
  ASSERT_EQ(made.exit_code, 0) << made.err;
}

TEST(DigestDiagnoseTest, TheEndIsJudgedAsInTheTraces) {
  const DigestedRuns runs;
  writeHungEnd(runs, [](RankBuilder& rank, std::uint32_t, std::int64_t,
                        std::int64_t at_ms) { rank.end(1, at_ms); });
  const auto traces =
      nlohmann::json::parse(runs.ofTraces("diagnose --json run").out);
  const Ran ran = runs.ofDigests("diagnose --json run");
  EXPECT_EQ(ran.exit_code, 1);
  const auto digest = nlohmann::json::parse(ran.out);
  ASSERT_EQ(digest["verdicts"].size(), 1u);
  ASSERT_EQ(traces["verdicts"].size(), 1u);
  for (const char* key : {"kind", "culprits", "ranks", "seq"}) {
    EXPECT_EQ(digest["verdicts"][0].at(key), traces["verdicts"][0].at(key));
  }
  EXPECT_THAT(ran.err, HasSubstr("only each rank's latest operations"));
  EXPECT_THAT(ran.err, Not(HasSubstr("the calls of group")));
}

TEST(DigestDiagnoseTest, AnEarlierOrderThatDiffersIsSaid) {
  const DigestedRuns runs;
  writeHungEnd(runs, [](RankBuilder& rank, std::uint32_t number, std::int64_t n,
                        std::int64_t at_ms) {
    const bool other = number == 2 && n == 7;
    rank.end(other ? 2 : 1, at_ms);
  });
  EXPECT_THAT(runs.ofDigests("diagnose run").err,
              HasSubstr("the calls of group dp differ between ranks 0 and 2 "
                        "from its call 1 to 256"));
}

}  // namespace
}  // namespace traced::testing
