#include "analysis/reading/dump_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "analysis/match/loaded_run.h"
#include "analysis/match/match.h"
#include "phrasing/warnings.h"
#include "support/dump_files.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using testing::dumpEntry;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Json;
using testing::pickleOf;
using testing::StreamBuilder;

class DumpFilesTest : public ::testing::Test {
 protected:
  static Json dump(std::size_t entries) {
    Json dump = testing::emptyDump("2.10");
    for (std::size_t i = 0; i < entries; ++i) {
      dump["entries"].push_back(dumpEntry(i));
    }
    return dump;
  }
  void write(const std::string& name, const std::string& bytes) {
    testing::writeFile(dir_.path() + "/" + name, bytes);
  }
  TraceSet open() {
    auto set = openTraceSet({dir_.path()});
    EXPECT_TRUE(set) << set.error().message;
    return set ? std::move(*set) : TraceSet();
  }
  std::vector<std::uint32_t> ranks(const TraceSet& set) {
    std::vector<std::uint32_t> ranks;
    for (const std::size_t i : set.selected) {
      ranks.push_back(set.streams[i].header.rank());
    }
    return ranks;
  }

  testing::TempDir dir_;
};

TEST_F(DumpFilesTest, TheRankIsTheLastNumberOfTheName) {
  EXPECT_EQ(rankInFileName("/a1/nccl_trace_rank_12"), 12u);
  EXPECT_EQ(rankInFileName("dump3.pickle"), 3u);
  EXPECT_EQ(rankInFileName("fr-rank7-2026.json"), 7u);
  EXPECT_EQ(rankInFileName("Rank=5.attempt-2"), 5u);
  EXPECT_EQ(rankInFileName("a9/dump"), std::nullopt);
  EXPECT_EQ(rankInFileName("99999999999"), std::nullopt);
  EXPECT_EQ(rankInFileName(""), std::nullopt);
}

TEST_F(DumpFilesTest, DumpsAreKnownByTheirContentAndReadAsARun) {
  write("trace_0", pickleOf(dump(3)));
  write("trace_1.traced", dump(3).dump());
  write("notes_2.json", R"({"a": 1})");
  const TraceSet set = open();
  EXPECT_THAT(ranks(set), ElementsAre(0, 1));
  EXPECT_THAT(set.input_warnings,
              ElementsAre(HasSubstr("notes_2.json: not a trace"),
                          "2 dumps do not contain the rank, so it was taken "
                          "from the file name"));
  const LoadedRun run = loadRun(set);
  EXPECT_EQ(run.summary.worldSize(), 2u);
  EXPECT_TRUE(run.summary.fromDumps());
  EXPECT_EQ(run.streams[1].clock.source(), v1::CLOCK_SOURCE_WALL_CLOCK);
  EXPECT_EQ(run.streams[1].clock.offset_ns(), 0);
  const MatchTable match = matchOperations(run, {});
  ASSERT_EQ(match.rows.size(), 3u);
  for (const MatchRow& row : match.rows) EXPECT_EQ(row.cell_count, 2u);
  EXPECT_THAT(
      allWarnings(set, run.summary),
      Contains(HasSubstr("so later operations are unknown on ranks 0-1")));
}

TEST_F(DumpFilesTest, ContentOverridesTheFileName) {
  Json own = dump(1);
  own["entries"][0]["profiling_name"] = "nccl:send 1->0";
  write("rank_0", pickleOf(own));
  const TraceSet set = open();
  EXPECT_THAT(ranks(set), ElementsAre(1));
  EXPECT_THAT(set.input_warnings, IsEmpty());
}

TEST_F(DumpFilesTest, UsesTheNewestDumpOfARank) {
  write("early/rank_0", pickleOf(dump(2)));
  write("late/rank_0", pickleOf(dump(5)));
  const TraceSet set = open();
  EXPECT_EQ(loadRun(set).streams[0].table.operations.size(), 5u);
  EXPECT_THAT(set.selection_warnings,
              ElementsAre("left out 1 dump of ranks that have a newer one, or "
                          "the same twice"));
}

TEST_F(DumpFilesTest, TracesAreUsedBeforeDumps) {
  StreamBuilder stream(0, 2, 0);
  stream.addGroup("dp", 0, 2);
  stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
  stream.addOperation(1, StreamBuilder::kIssueNs, 1, 1, 500);
  write("rank-0.traced", stream.takeChunk());
  write("rank_1", pickleOf(dump(2)));
  const TraceSet set = open();
  EXPECT_THAT(ranks(set), ElementsAre(0));
  EXPECT_THAT(set.selection_warnings,
              ElementsAre(AllOf(HasSubstr("left out 1 Flight Recorder dump"),
                                HasSubstr("hold traces too"))));
}

TEST_F(DumpFilesTest, ReportsRefusedFilesWithTheReason) {
  write("evil_0", std::string("\x80\x04\x8c\x02os\x8c\x06system\x93.", 15));
  write("old_1", pickleOf(testing::emptyDump("1.4")));
  write("nameless", pickleOf(dump(1)));
  const auto set = openTraceSet({dir_.path()});
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().message,
              AllOf(HasSubstr("evil_0: byte 14: opcode STACK_GLOBAL could"),
                    HasSubstr("old_1: a Flight Recorder dump of version 1.4"),
                    HasSubstr("nameless: a Flight Recorder dump "
                              "without a rank in it")));
}

TEST_F(DumpFilesTest, ADumpThatChangesMeanwhileIsNotBelieved) {
  write("rank_0", pickleOf(dump(2)));
  const TraceSet set = open();
  write("rank_0", pickleOf(dump(3)));
  const LoadedRun run = loadRun(set);
  EXPECT_TRUE(run.streams[0].table.operations.empty());
  EXPECT_GT(run.streams[0].table.refused_bytes, 0u);
}

TEST_F(DumpFilesTest, ADumpWithoutEntriesIsARankWithoutOperations) {
  Json empty = dump(0);
  empty.erase("entries");
  write("rank_0", pickleOf(empty));
  const LoadedRun run = loadRun(open());
  EXPECT_EQ(run.summary.operations(), 0u);
  EXPECT_EQ(run.summary.absentRanks(), "1");
}

}  // namespace
}  // namespace traced
