// What is reported of digests that were made apart.

#include "analysis/digest/digest_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "analysis/digest/digest_file.h"
#include "analysis/digest/digest_maker.h"
#include "analysis/digest/write_digests.h"
#include "analysis/report/run_report.h"
#include "open_digests.h"
#include "support/job_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

using ::testing::Contains;
using testing::JobBuilder;
using testing::openDigests;
using testing::RankBuilder;

// As torchrun starts a rank on a host of its own, and counts restarts.
void startBy(const std::string& launcher, std::uint32_t attempt,
             v1::Header& header) {
  header.set_attempt(attempt);
  header.set_boot_id(launcher);
  header.mutable_rendezvous()->set_port(4711);
  header.mutable_rendezvous()->set_run_id("run");
  header.mutable_rendezvous()->set_launcher(launcher);
}

TEST(DigestReportTest, HostsThatCountRestartsDifferentlyHaveTheSameGroups) {
  const testing::TempDir dir;
  JobBuilder job(2);
  std::vector<std::string> digests;
  for (const std::uint32_t r : {0U, 1U}) {
    RankBuilder& rank = job.rank(r);
    rank.end(rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id(), 10);
    startBy("launcher " + std::to_string(r), r, rank.stream().header());
    const std::string name = dir.path() + "/" + std::to_string(r);
    testing::writeFile(name, rank.stream().takeChunk(true, 0));
    digests.push_back(name + ".digest");
    ASSERT_TRUE(writeDigests(openDigests({name}), digests.back(),
                             Existing::kReplaced, {0, "1.0"}));
  }
  const TraceSet set = openDigests(digests);
  EXPECT_EQ(set.selected.size(), 2U);
  EXPECT_EQ(reportOfDigests(set, {}, false).groups.groups().size(), 1U);
}

// Traces of two ranks with one operation each.
std::vector<std::string> twoTraces(const testing::TempDir& dir) {
  JobBuilder job(2);
  std::vector<std::string> traces;
  for (const std::uint32_t r : {0U, 1U}) {
    RankBuilder& rank = job.rank(r);
    v1::Call& all_reduce = rank.addCall(v1::OPERATION_ALL_REDUCE, 1);
    all_reduce.set_in_place(true);
    rank.end(all_reduce.id(), 10 + r, 5 - r);
    traces.push_back(dir.path() + "/" + std::to_string(r));
    testing::writeFile(traces.back(), rank.stream().takeChunk(true, 0));
  }
  return traces;
}

// A histogram of one time is one.
TEST(DigestReportTest, OfOneOperationThereIsWhatTracesTell) {
  const testing::TempDir dir;
  const std::vector<std::string> traces = twoTraces(dir);
  const std::string digest = dir.path() + "/digest";
  ASSERT_TRUE(writeDigests(openDigests(traces), digest, Existing::kReplaced,
                           {0, "1.0"}));
  const std::vector<ReportKey> by = {ReportKey::kOp, ReportKey::kRank};
  const auto set = openTraceSet(traces);
  ASSERT_TRUE(set);
  const Report expected = buildReport(*set, by);
  const Report report = reportOfDigests(openDigests({digest}), by, false);
  ASSERT_EQ(report.rows.size(), 2U);
  for (const std::size_t row : {0U, 1U}) {
    const SplitTotals& split = report.rows[row].split;
    const SplitTotals& wanted = expected.rows[row].split;
    ASSERT_EQ(wanted.transfer().count(), 1U);
    EXPECT_EQ(split.transfer().count(), 1U);
    EXPECT_EQ(split.transfer().p50().ns, wanted.transfer().p50().ns);
    EXPECT_EQ(split.waitForPeers().count(), 1U);
    EXPECT_EQ(split.waitForPeers().p50().ns, wanted.waitForPeers().p50().ns);
    EXPECT_EQ(split.readyBusbwGbs(), wanted.readyBusbwGbs());
  }
}

TEST(DigestReportTest, ADigestThatCannotBeReadIsCounted) {
  const testing::TempDir dir;
  const TraceSet traces = openDigests(twoTraces(dir));
  const std::string digest = dir.path() + "/digest";
  {
    std::ofstream out(digest);
    DigestMaker maker(traces, "1.0");
    DigestFile file(traces, out);
    file.put({{7, maker.look()}});
    maker.make([&](std::size_t i, const v1::Payload& made) {
      v1::Payload payload = made;
      // Of which row is in one column more than what is of it.
      if (i == 1) payload.mutable_digest()->add_histogram_row(0);
      file.put(file.encode(traces.streams[i], payload, 7, 2));
    });
  }
  const Report report =
      reportOfDigests(openDigests({digest}), {ReportKey::kRank}, false);
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_EQ(report.rows[0].keys, std::vector<std::string>{"0"});
  EXPECT_THAT(report.summary.clockWarnings(),
              Contains("digests that cannot be read, and are left out: 1"));
}

}  // namespace
}  // namespace traced
