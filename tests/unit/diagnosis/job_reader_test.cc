#include "analysis/diagnosis/job_reader.h"

#include "diagnosed.h"

namespace traced::testing {
namespace {

constexpr std::uint32_t kRanks = 21;

// Of 21 ranks one calls something else, one hangs, and some pass messages.
void writeJob(const std::string& folder) {
  JobBuilder job(kRanks);
  for (std::uint32_t r = 0; r < kRanks; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t half =
        rank.addGroup("half", r < 10 ? 0 : 10, r < 10 ? 10 : 11);
    const std::uint32_t reduce =
        rank.addCall(v1::OPERATION_ALL_REDUCE, 1, r == 5 ? 64 : 4096).id();
    const std::uint32_t gather =
        rank.addCall(v1::OPERATION_ALL_GATHER, half).id();
    const std::uint32_t message =
        rank.addMessage(r % 2 == 0, 1, r % 2 == 0 ? (r + 1) % kRanks : r - 1)
            .id();
    for (int i = 0; i < 30; ++i) {
      rank.end(reduce, 40 * i);
      rank.end(message, 40 * i + 10);
      rank.end(gather, 40 * i + 20);
    }
    if (r == 12) rank.hang(gather, 2000);
    writeFile(folder + "/rank-" + std::to_string(r) + ".traced",
              rank.write(r == 12 ? Ending::kCut : Ending::kClosed));
  }
}

TEST(JobReaderTest, TheNumberOfThreadsChangesNothing) {
  const TempDir dir;
  writeJob(dir.path());
  const std::vector<std::string> paths = {dir.path()};
  const Result<TraceSet> set = openTraceSet(paths);
  ASSERT_TRUE(set) << set.error().message;
  const Diagnosis alone = judge(readJob(*set, 1), *set, {});
  EXPECT_GE(alone.verdicts.size(), 2U) << textOf(alone);
  for (const std::size_t threads : {2, 3, 8, 100}) {
    const Diagnosis diagnosis = judge(readJob(*set, threads), *set, {});
    EXPECT_EQ(textOf(diagnosis), textOf(alone)) << threads;
    EXPECT_EQ(diagnosis.culprits, alone.culprits) << threads;
    EXPECT_EQ(diagnosis.job.summary.operations(),
              alone.job.summary.operations());
    ASSERT_EQ(diagnosis.job.ranks.size(), kRanks);
    for (std::uint32_t r = 0; r < kRanks; ++r) {
      EXPECT_EQ(diagnosis.job.ranks[r].rank, r);
    }
  }
}

TEST(JobReaderTest, MoreThreadsThanStreamsAreNoHarm) {
  JobBuilder job(2);
  job.all([](RankBuilder& rank) {
    const auto call = rank.addCall(v1::OPERATION_BARRIER, 1).id();
    rank.end(call, 10);
  });
  expectHealthy(diagnoseJob(job));
}

}  // namespace
}  // namespace traced::testing
