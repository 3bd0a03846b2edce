// What is reported of digests that were made apart.

#include "analysis/digest/digest_report.h"

#include <gtest/gtest.h>

#include "analysis/digest/write_digests.h"
#include "open_digests.h"
#include "support/job_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

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

}  // namespace
}  // namespace traced
