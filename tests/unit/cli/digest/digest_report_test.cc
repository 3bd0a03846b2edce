// A report of digests is that of the traces.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/job_builder.h"
#include "support/trace_file.h"
#include "support/write_file.h"
#include "unit/cli/digest/digested_runs.h"
#include "unit/cli/golden_runs.h"

namespace traced::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kReports[] = {
    "",
    "--wide",
    "--by op",
    "--by rank,op --wide",
    "--by group",
    "--by dtype,size",
    "--groups all --by group,rank",
};

void expectEqualReports(const DigestedRuns& runs, const std::string& name) {
  for (const std::string options : kReports) {
    SCOPED_TRACE(name + " " + options);
    const Ran traces = runs.ofTraces("report " + options + " " + name);
    const Ran digest = runs.ofDigests("report " + options + " " + name);
    EXPECT_EQ(digest.exit_code, traces.exit_code) << digest.err;
    EXPECT_EQ(digest.out, traces.out);
    EXPECT_EQ(digest.err, traces.err);
    const std::string json = "report --json " + options + " " + name;
    EXPECT_EQ(withoutPictures(runs.ofDigests(json).out),
              withoutPictures(runs.ofTraces(json).out));
  }
}

TEST(DigestReportTest, GoldenRunsAreReportedAlike) {
  const DigestedRuns runs;
  writeGoldenRuns(runs.traces());
  for (const char* name : {"run", "stepped", "hung", "mismatched", "modular"}) {
    const Ran made = runs.digest(name);
    ASSERT_EQ(made.exit_code, 0) << made.err;
    expectEqualReports(runs, name);
  }
}

// All ranks are in "dp", and each two in a "tp", of which there are many.
// Durations are any, waits that are not seen are some.
void writeRandomRun(const std::string& folder, std::uint32_t world,
                    std::mt19937& random) {
  JobBuilder job(world);
  const auto any = [&random](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  constexpr std::int64_t kMs = RankBuilder::kMs;
  for (std::uint32_t rank = 0; rank < world; ++rank) {
    RankBuilder& builder = job.rank(rank);
    const std::uint32_t tp = builder.addGroup("tp", rank / 2 * 2, 2);
    StreamBuilder& stream = builder.stream();
    std::uint32_t calls[4];
    for (int i = 0; i < 4; ++i) {
      calls[i] = stream
                     .addCall(i % 2 ? v1::OPERATION_ALL_REDUCE
                                    : v1::OPERATION_BROADCAST,
                              i < 2 ? 1 : tp, 1000u << i, 1000u << i,
                              i == 3 ? v1::DTYPE_BFLOAT16 : v1::DTYPE_FLOAT32)
                     .id();
    }
    std::uint64_t id = 0;
    for (std::uint64_t n = 0; n < 200; ++n) {
      const std::uint32_t call = calls[n % 4];
      const std::int64_t at = StreamBuilder::kIssueNs +
                              static_cast<std::int64_t>(n) * 20 * kMs +
                              any(0, 5 * kMs);
      const std::int64_t took = any(kMs, 9 * kMs);
      if (any(0, 3) > 0) {
        stream.addOperation(++id, at, call, n / 4 + 1, took);
        continue;
      }
      // Nobody is seen to wait for it.
      stream.add(
          IssueRow{.op = ++id, .issue_ns = at, .call = call, .seq = n / 4 + 1});
      stream.add(ReturnRow{.op = id, .return_ns = at + any(1000, 90'000)});
      stream.add(DoneRow{
          .op = id, .end_ns = at + took, .source = v1::END_SOURCE_FUTURE});
    }
    writeFile(folder + "/rank-" + std::to_string(rank),
              builder.write(Ending::kClosed));
  }
}

TEST(DigestReportTest, AnyRunIsReportedAlike) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const DigestedRuns runs;
  writeRandomRun(runs.traces() + "/run", 8, random);
  ASSERT_EQ(runs.digest("run").exit_code, 0);
  expectEqualReports(runs, "run");
}

TEST(DigestReportTest, AnyTreeOfDigestsIsTheSameFile) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const DigestedRuns runs;
  constexpr std::uint32_t kWorld = 6;
  writeRandomRun(runs.traces() + "/run", kWorld, random);
  std::string expected;
  for (int tree = 0; tree < 6; ++tree) {
    std::vector<std::string> parts;
    for (std::uint32_t rank = 0; rank < kWorld; ++rank) {
      const std::string name = std::to_string(rank);
      // Some of them keep their traces as they are.
      runs.digest("part-" + name, "run/rank-" + name,
                  rank == 2 ? "--force" : "--force --latest 0");
      parts.push_back(runs.digests() + "/part-" + name);
    }
    for (int merge = 0; parts.size() > 1; ++merge) {
      std::shuffle(parts.begin(), parts.end(), random);
      const std::string merged = "merged-" + std::to_string(merge);
      const Ran ran =
          runs.digest(merged, parts.back() + " " + parts[parts.size() - 2]);
      ASSERT_EQ(ran.exit_code, 0) << ran.err;
      parts.resize(parts.size() - 2);
      parts.push_back(runs.digests() + "/" + merged);
    }
    const std::string bytes = readFile(parts.front());
    ASSERT_FALSE(bytes.empty());
    if (tree == 0) expected = bytes;
    EXPECT_TRUE(bytes == expected) << "tree " << tree;
  }
}

TEST(DigestReportTest, DigestsThatAreAlikeAreNotOne) {
  const DigestedRuns runs;
  JobBuilder job(4);
  job.all([](RankBuilder& rank) {
    const std::uint32_t call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
    for (std::int64_t n = 0; n < 20; ++n) rank.end(call, 10 * n);
  });
  std::string parts;
  for (std::uint32_t rank = 0; rank < job.size(); ++rank) {
    const std::string name = std::to_string(rank);
    writeFile(runs.traces() + "/run/" + name,
              job.rank(rank).write(Ending::kClosed));
    runs.digest("part-" + name, "run/" + name);
    parts += " ../digests/part-" + name;
  }
  runs.digest("run", parts);
  EXPECT_THAT(runs.ofDigests("report run").err,
              HasSubstr("these are 4 digests that were made apart"));
}

TEST(DigestReportTest, DigestsThatWereMadeApartLackWhatIsBetweenThem) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const DigestedRuns runs;
  writeRandomRun(runs.traces() + "/run", 4, random);
  runs.digest("a", "run/rank-0 run/rank-1");
  runs.digest("b", "run/rank-2 run/rank-3");
  runs.digest("run", "../digests/a ../digests/b");
  const std::string asked = "report --json --groups all run";
  const auto traces = withoutPictures(runs.ofTraces(asked).out);
  const auto digest = withoutPictures(runs.ofDigests(asked).out);
  ASSERT_EQ(digest["ops"].size(), traces["ops"].size());
  for (const auto& row : digest["ops"]) {
    const auto same = std::find_if(
        traces["ops"].begin(), traces["ops"].end(), [&](const auto& other) {
          return other["op"] == row["op"] && other["group"] == row["group"] &&
                 other["size"] == row["size"];
        });
    ASSERT_NE(same, traces["ops"].end());
    for (const char* key : {"count", "bytes", "host", "completion", "wait",
                            "busbw_gbs", "share_at_most"}) {
      EXPECT_EQ(row[key], (*same)[key]) << key;
    }
    if (row["group"] == "dp") {
      EXPECT_EQ(row["not_split"], row["count"]);
    } else {
      EXPECT_EQ(row["wait_for_peers"], (*same)["wait_for_peers"]);
      EXPECT_EQ(row["transfer"], (*same)["transfer"]);
      EXPECT_EQ(row["last_arrivals"], (*same)["last_arrivals"]);
    }
  }
  EXPECT_THAT(runs.ofDigests("report run").err,
              HasSubstr("these are 2 digests that were made apart"));
}

}  // namespace
}  // namespace traced::testing
