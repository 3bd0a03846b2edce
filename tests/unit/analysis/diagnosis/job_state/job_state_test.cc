#include "analysis/diagnosis/job_state/job_state.h"

#include "analysis/merge/merge.h"
#include "phrasing/warnings.h"
#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

constexpr std::uint32_t kRanks = 21;

// Writes a job of 21 ranks: one calls another operation, one hangs, and some
// exchange messages.
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

// The clock of the second host is 1000 s ahead, and its trace does not show
// that.
TEST(JobReaderTest, AFolderIsReadOnTheTimeLineOfItsMerge) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    if (r >= 2) rank.stream().header().set_boot_id("another");
    v1::Call& call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1);
    call.set_in_place(true);
    const std::int64_t late_ms = r == 3 ? 20 : 0;
    for (int i = 0; i < 40; ++i) {
      rank.end(call.id(), 60 * i + late_ms + (r >= 2 ? 1'000'000 : 0),
               22 - late_ms);
    }
  }
  const TempDir dir;
  const TempDir merged;
  for (std::uint32_t r = 0; r < 4; ++r) {
    writeFile(dir.path() + "/rank-" + std::to_string(r) + ".traced",
              job.rank(r).write(Ending::kClosed));
  }
  const Result<TraceSet> folder =
      openTraceSet(std::vector<std::string>{dir.path()});
  ASSERT_TRUE(folder) << folder.error().message;
  const std::string path = merged.path() + "/run.traced";
  ASSERT_TRUE(writeMerged(*folder, path, Existing::kKept, "test", clockText));
  const Result<TraceSet> file = openTraceSet(std::vector<std::string>{path});
  ASSERT_TRUE(file) << file.error().message;
  const Diagnosis a = diagnose(*folder, {});
  const Diagnosis b = diagnose(*file, {});
  expectVerdict(a, VerdictKind::kStraggler, {3});
  EXPECT_EQ(textOf(a), textOf(b));
  EXPECT_EQ(a.verdicts[0].since_ns, b.verdicts[0].since_ns);
  for (std::uint32_t r = 0; r < 4; ++r) {
    EXPECT_EQ(a.job.ranks[r].last_ns, b.job.ranks[r].last_ns);
    EXPECT_LT(a.job.ranks[r].last_ns, RankBuilder::ns(10'000));
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
