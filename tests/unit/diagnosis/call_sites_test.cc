// Flight Recorder dumps tell where in the program operations were called.

#include <gtest/gtest.h>

#include "diagnosed.h"
#include "support/dump_files.h"

namespace traced::testing {
namespace {

Json frame(const std::string& file, int line, const std::string& name) {
  return {{"filename", file}, {"line", line}, {"name", name}};
}

// As torch gathers them: the innermost first.
Json framesAt(const std::string& file, int line) {
  return {frame("/env/site-packages/torch/distributed/distributed_c10d.py",
                2805, "all_reduce"),
          frame("/env/site-packages/torch/distributed/c10d_logger.py", 81,
                "wrapper"),
          frame(file, line, "forward"), frame("/job/main.py", 3, "<module>")};
}

// Rank 1 calls something else the second time, at line 99.
Diagnosis diagnoseDumps(const std::string& file) {
  const TempDir dir;
  for (const int rank : {0, 1, 2}) {
    Json dump = emptyDump("2.10");
    dump["pg_config"]["0"]["ranks"] = "[0, 1, 2]";
    for (std::uint64_t i = 0; i < 3; ++i) {
      Json entry = dumpEntry(i);
      const bool other = rank == 1 && i == 1;
      if (other) entry["profiling_name"] = "nccl:all_gather";
      entry["frames"] = framesAt(file, other ? 99 : 120);
      dump["entries"].push_back(entry);
    }
    writeFile(dir.path() + "/rank_" + std::to_string(rank), pickleOf(dump));
  }
  const std::vector<std::string> paths = {dir.path()};
  const Result<TraceSet> set = openTraceSet(paths);
  EXPECT_TRUE(set);
  return diagnose(*set, {});
}

TEST(CallSitesTest, AVerdictTellsWhereEachOfItsRanksMadeTheCall) {
  const Diagnosis diagnosis = diagnoseDumps("/job/train.py");
  ASSERT_FALSE(diagnosis.verdicts.empty());
  const JobVerdict& verdict = diagnosis.verdicts[0];
  EXPECT_EQ(verdict.kind, VerdictKind::kOpMismatch) << textOf(diagnosis);
  EXPECT_EQ(verdict.culprits, Ranks{1});
  using Site = std::pair<std::uint32_t, std::string>;
  const std::vector<Site> expected = {{0, "/job/train.py:120 in forward"},
                                      {1, "/job/train.py:99 in forward"},
                                      {2, "/job/train.py:120 in forward"}};
  EXPECT_EQ(verdict.sites, expected);
  const std::string text = textOf(diagnosis);
  EXPECT_NE(text.find("Ranks 0-2/2 called it at /job/train.py:120 in forward."),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Rank 1 called it at /job/train.py:99 in forward."),
            std::string::npos)
      << text;
}

TEST(CallSitesTest, WhereARankIsTellsItsLine) {
  const Diagnosis diagnosis = diagnoseDumps("/job/train.py");
  ASSERT_TRUE(diagnosis.job.ranks[0].last_issued);
  EXPECT_EQ(diagnosis.job.ranks[0].last_issued->site,
            "/job/train.py:120 in forward");
}

// Frames of torch alone are no line of the program.
TEST(CallSitesTest, TheNearestFrameOfTheProgramCounts) {
  const Diagnosis diagnosis =
      diagnoseDumps("/env/site-packages/torch/nn/parallel/distributed.py");
  EXPECT_EQ(diagnosis.job.ranks[0].last_issued->site,
            "/job/main.py:3 in <module>");
}

TEST(CallSitesTest, OurTracesTellNone) {
  JobBuilder job(2);
  job.all([](RankBuilder& rank) {
    rank.end(rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id(), 0);
  });
  const Diagnosis diagnosis = diagnoseJob(job);
  EXPECT_EQ(diagnosis.job.ranks[0].last_issued->site, "");
}

}  // namespace
}  // namespace traced::testing
