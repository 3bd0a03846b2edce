// Tests tracectl recover, and the recovery that merge runs on its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "ring_io/chunks/encode_definitions.h"
#include "ring_io/ring/ring.h"
#include "ring_io/ring/segment.h"
#include "support/temp_dir.h"
#include "support/trace_file.h"
#include "support/write_file.h"
#include "unit/cli/run_tracectl.h"

namespace traced::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::json;

class RecoverVerbTest : public ::testing::Test {
 protected:
  RecoverVerbTest() { setenv("TRACED_RING_DIR", rings().c_str(), 1); }
  ~RecoverVerbTest() override { unsetenv("TRACED_RING_DIR"); }

  // Creates a process's segment with two operations in its ring, and an empty
  // trace.
  std::unique_ptr<Segment> alive(std::uint32_t rank) {
    fs::create_directories(rings());
    ProcessIdentity process;
    process.rank = rank;
    process.world_size = 2;
    Options options;
    options.job = "run42";
    const v1::Header header =
        makeHeader(options, process, readHostInfo(), rank + 1);
    auto segment = Segment::create(rings(), header.stream_id(), 64,
                                   header.SerializeAsString());
    segment->setTracePath(trace(rank));
    Ring ring(segment->ringMemory(), segment->slots());
    ring.push(RecordKind::kIssue,
              IssueRecord{header.started().monotonic_ns(), 1, 0, 0, 0, 0});
    ring.push(RecordKind::kIssue,
              IssueRecord{header.started().monotonic_ns(), 2, 0, 0, 0, 0});
    writeFile(trace(rank), "");
    return segment;
  }

  // Creates the same, then simulates the process's death. Returns the segment's
  // path.
  std::string dead(std::uint32_t rank) {
    auto segment = alive(rank);
    const std::string path = segment->path();
    const std::string bytes = readFile(path);
    segment.reset();
    return writeFile(path, bytes);
  }

  std::string rings() const { return dir_.path() + "/rings"; }
  std::string run() const { return dir_.path() + "/run"; }
  std::string trace(std::uint32_t rank) const {
    return run() + "/rank-" + std::to_string(rank) + ".traced";
  }
  std::string only() const { return " --ring-dir " + rings() + " "; }

  TempDir dir_;
};

TEST_F(RecoverVerbTest, ReportsRecoveredRecordsAndLiveProcesses) {
  dead(0);
  const auto living = alive(1);
  const Ran ran = runTracectl("recover" + only());
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "rank 0 of job run42: 2 records brought back into " +
                         trace(0) + "\n");
  EXPECT_EQ(ran.err, "tracectl: 1 segment in use, left alone\n");
  EXPECT_TRUE(fs::exists(living->path()));

  const Ran info = runTracectl("info " + run());
  EXPECT_THAT(info.out, HasSubstr("recovered"));
  EXPECT_THAT(info.err,
              HasSubstr("killed; the last records were recovered on rank 0"));
  const Json json = Json::parse(runTracectl("info --json " + run()).out);
  EXPECT_EQ(json["ranks"][0]["recovered"], true);
  EXPECT_EQ(json["ranks"][0]["closed"], false);
  EXPECT_EQ(json["ranks"][0]["operations"], 2);
  EXPECT_EQ(json["lost"]["not_closed"], "0-1");
  EXPECT_EQ(json["lost"]["end_unknown"], "") << "rank 1 is known by its ring";
  ASSERT_EQ(json["from_rings"].size(), 1u);
  EXPECT_EQ(json["from_rings"][0]["rank"], 1);
  EXPECT_EQ(json["from_rings"][0]["alive"], true);
  const Json files =
      Json::parse(runTracectl("info --json --files-only " + run()).out);
  EXPECT_EQ(files["lost"]["not_closed"], "0");
  EXPECT_FALSE(files.contains("from_rings"));
}

TEST_F(RecoverVerbTest, NothingToDoSucceeds) {
  const Ran ran = runTracectl("recover" + only());
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "tracectl: nothing to recover\n");
}

TEST_F(RecoverVerbTest, RecoversOnlyItsInputs) {
  const std::string segment = dead(0);
  runTracectl("recover" + only() + dir_.path() + "/other");
  EXPECT_TRUE(fs::exists(segment));
  const Ran ran = runTracectl("recover " + run());
  EXPECT_THAT(ran.out, StartsWith("rank 0 of job run42: 2 records"))
      << "TRACED_RING_DIR is looked into";
  EXPECT_FALSE(fs::exists(segment));
}

TEST_F(RecoverVerbTest, ADryRunReportsAndChangesNothing) {
  const std::string segment = dead(0);
  const Ran ran = runTracectl("recover --dry-run --json" + only());
  EXPECT_EQ(ran.exit_code, 0);
  const Json json = Json::parse(ran.out);
  EXPECT_EQ(json["dry_run"], true);
  EXPECT_EQ(json["live"], 0);
  ASSERT_EQ(json["segments"].size(), 1u);
  EXPECT_EQ(json["segments"][0]["outcome"], "recovered");
  EXPECT_EQ(json["segments"][0]["records"], 2);
  EXPECT_EQ(json["segments"][0]["trace"], trace(0));
  EXPECT_TRUE(fs::exists(segment));
  EXPECT_EQ(readFile(trace(0)), "");
}

TEST_F(RecoverVerbTest, AMissingTraceExitsWith4UntilDiscarded) {
  const std::string segment = dead(0);
  fs::remove(trace(0));
  const Ran kept = runTracectl("recover" + only());
  EXPECT_EQ(kept.exit_code, 4);
  EXPECT_EQ(kept.out, "rank 0 of job run42: not recovered, " + trace(0) +
                          " does not exist; kept in " + segment + "\n");
  const Ran discarded = runTracectl("recover --discard" + only());
  EXPECT_EQ(discarded.exit_code, 0);
  EXPECT_THAT(discarded.out, HasSubstr("does not exist; removed\n"));
  EXPECT_FALSE(fs::exists(segment));
}

TEST_F(RecoverVerbTest, AnUnreadableSegmentExitsWith3) {
  const std::string segment = dead(0);
  writeFile(segment, readFile(segment).substr(0, 6000));
  const Ran ran = runTracectl("recover" + only());
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_THAT(ran.out, HasSubstr("not recovered, the file was truncated"));
  EXPECT_TRUE(fs::exists(segment));
}

TEST_F(RecoverVerbTest, MergeRecoversItsInputsFirst) {
  dead(0);
  const std::string merged = dir_.path() + "/merged.traced";
  const Ran ran = runTracectl("merge " + run() + " -o " + merged);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("recovered: rank 0 of job run42: 2 records"));
  const Json json = Json::parse(runTracectl("info --json " + merged).out);
  EXPECT_EQ(json["operations"], 2);
  const Ran again = runTracectl("merge --force " + run() + " -o " + merged);
  EXPECT_EQ(again.err, "");
}

TEST_F(RecoverVerbTest, MergeWarnsOfWhatItCannotRecover) {
  dead(0);
  dead(1);
  fs::remove(trace(0));
  const std::string merge = "merge " + run() + " -o " + dir_.path() + "/m";
  const Ran ran = runTracectl(merge);
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.err, HasSubstr("recovered: rank 1 of job run42"));
  EXPECT_THAT(ran.err,
              HasSubstr("warning: rank 0 of job run42: not recovered"));
  EXPECT_EQ(runTracectl(merge + " --force --strict").exit_code, 1);
}

}  // namespace
}  // namespace traced::testing
