// Runs tracectl on Gloo dumps of two ranks, written by torch, and on a made-up
// dump in the format of NCCL's recorder.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/dump_files.h"
#include "support/temp_dir.h"
#include "support/write_file.h"
#include "unit/cli/run_tracectl.h"

namespace traced::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class RealDumpsTest : public ::testing::TestWithParam<const char*> {
 protected:
  std::string dumps() const {
    return std::string(GOLDEN_DIR) + "/flight_recorder/" + GetParam();
  }
};

TEST_P(RealDumpsTest, AreReadOperationByOperation) {
  const Ran ran = runTracectl("show --json " + dumps());
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  std::vector<std::string> rows;
  const Json shown = Json::parse(ran.out);
  for (const Json& row : shown["rows"]) {
    EXPECT_EQ(row["ranks"].size(), 2u);
    const Json& op = row["ranks"]["0"];
    rows.push_back(row["group"].get<std::string>() + " " + row["seq"].dump() +
                   " " + op["op"].get<std::string>() + " " +
                   op["bytes_in"].dump() + " " + op["bytes_out"].dump());
    EXPECT_EQ(op["state"], "issued");
  }
  EXPECT_THAT(
      rows, ::testing::ElementsAre(
                "default_pg 1 all_reduce 48 48", "default_pg 2 broadcast 48 48",
                "default_pg 3 all_gather 48 96", "dp 1 all_reduce 24 24",
                "default_pg 4 all_reduce 16 16", "default_pg 5 all_gather 8 16",
                "default_pg 6 all_to_all 16 16", "default_pg 7 barrier 0 0",
                "default_pg 8 all_reduce 48 48", "default_pg 9 gather 48 96"));
}

TEST_P(RealDumpsTest, OutputNamesTheKindOfSource) {
  const Ran info = runTracectl("info " + dumps());
  EXPECT_THAT(info.out, AllOf(HasSubstr("2 ranks, Flight Recorder dumps, gloo"),
                              HasSubstr("on the hosts' wall clocks"),
                              HasSubstr("flight_recorder=2.10")));
  EXPECT_THAT(info.err, HasSubstr("so it was taken from the file name"));
  EXPECT_THAT(runTracectl("report " + dumps()).out,
              HasSubstr("nothing known to be lost"));
}

INSTANTIATE_TEST_SUITE_P(Torch, RealDumpsTest,
                         ::testing::Values("gloo-2.11.0", "gloo-2.15.0"));

TEST(NcclDumpsTest, EndsAndBandwidthAreWhereTheDumpHasThem) {
  const TempDir dir;
  for (int rank = 0; rank < 2; ++rank) {
    Json dump = emptyDump("2.9");
    for (int i = 0; i < 3; ++i) {
      Json entry = dumpEntry(i);
      if (i < 2) {
        entry["time_discovered_completed_ns"] = kDumpBeginNs + 1'000'000;
        entry["state"] = "completed";
        entry["retired"] = true;
      }
      dump["entries"].push_back(entry);
    }
    writeFile(dir.path() + "/nccl_trace_rank_" + std::to_string(rank),
              pickleOf(dump));
  }
  const Ran ran = runTracectl("report --json " + dir.path());
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const Json row = Json::parse(ran.out)["ops"][0];
  EXPECT_EQ(row["count"], 6);
  EXPECT_EQ(row["ends_at_hook"], 4);
  EXPECT_EQ(row["ends_unknown"], 2);
  EXPECT_EQ(row["completion"]["count"], 4);
  EXPECT_EQ(row["host"]["count"], 0);
  EXPECT_EQ(row["wait"]["count"], 0);
  EXPECT_TRUE(row.contains("busbw_gbs"));
}

}  // namespace
}  // namespace traced::testing
