// Tests which rows show leaves out, and its note about them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"
#include "unit/cli/example_run.h"
#include "unit/cli/run_tracectl.h"

namespace traced::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class ShowTest : public ::testing::Test {
 protected:
  std::string run() const { return dir_.path() + "/run"; }
  void write(std::uint32_t rank, StreamBuilder& stream) {
    writeFile(run() + "/" + std::to_string(rank), stream.takeChunk(true));
  }

  static constexpr std::int64_t kMs = 1'000'000;

  TempDir dir_;
};

TEST_F(ShowTest, AFilterThatMatchesNothingListsTheChoices) {
  writeExampleRun(run());
  const Ran ops = runTracectl("show --ops send,all_reduec " + run());
  EXPECT_EQ(ops.exit_code, 2);
  EXPECT_EQ(ops.out, "");
  EXPECT_EQ(ops.err,
            "tracectl: --ops all_reduec: not in these traces; they have: "
            "all_gather_into_tensor, all_reduce, recv, send\n");
  const Ran groups = runTracectl("show --json --groups nope " + run());
  EXPECT_EQ(groups.exit_code, 2);
  EXPECT_EQ(groups.err,
            "tracectl: --groups nope: not in these traces; they have: "
            "1, dp\n");
  const Ran ranks = runTracectl("show --ranks 5-77 " + run());
  EXPECT_EQ(ranks.exit_code, 2);
  EXPECT_EQ(ranks.err,
            "tracectl: --ranks 5-77: no traces of these ranks, but of "
            "ranks 0-1\n");
  EXPECT_EQ(
      runTracectl("show --ranks 1-77 --ops send,recv --groups dp " + run())
          .exit_code,
      0);
}

TEST_F(ShowTest, IssuedAtCountsFromTheFirstOperationOfAllWhateverIsShown) {
  writeExampleRun(run());
  // The first operation of the run is an all_reduce, 90 ms before.
  for (const std::string filter :
       {"", "--ops send ", "--ranks 1 ", "--last 2 "}) {
    EXPECT_THAT(runTracectl("show " + filter + run()).out,
                ContainsRegex("\n +9[01]\\.000 +dp +0>1 #1"))
        << filter;
  }
}

// Ranks 0-2; #1 agrees, #2 and #3 do not.
TEST_F(ShowTest, ALineBelowARowListsArgumentsThatDiffer) {
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    StreamBuilder stream(rank, 3);
    stream.addGroup("dp", 0, 3);
    stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
    v1::Call& broadcast = stream.addCall(v1::OPERATION_BROADCAST, 1, 64, 64);
    broadcast.set_root_plus_1(rank == 1 ? 2 : 1);
    stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64u << rank, 64u << rank);
    for (std::uint32_t op = 1; op <= 3; ++op) {
      stream.addOperation(op, StreamBuilder::kIssueNs + op * kMs, op, op, 1000);
    }
    write(rank, stream);
  }
  const std::string out = runTracectl("show " + run()).out;
  EXPECT_THAT(
      out,
      ContainsRegex("#2  broadcast [^\n]*\n   #2 differs: ranks 0,2: broadcast "
                    "\\(64 B[^)]*, root 0\\); rank 1: broadcast \\(64 "
                    "B[^)]*, root 1\\)\n"));
  EXPECT_THAT(out, ContainsRegex("\n   #3 differs: rank 0: all_reduce \\(64 "
                                 "B[^)]*\\); rank 1: all_reduce \\(128 B"));
  EXPECT_THAT(out, Not(HasSubstr("#1 differs")));
}

TEST_F(ShowTest, DoesNotCountHiddenRowsOfALongRun) {
  constexpr std::uint64_t kCalls = 70'000;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    StreamBuilder stream(rank);
    stream.addGroup("dp", 0, 2);
    stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
    for (std::uint64_t i = 1; i <= kCalls; ++i) {
      const std::int64_t at_ns = static_cast<std::int64_t>(i) * kMs;
      stream.addOperation(i, StreamBuilder::kIssueNs + at_ns, 1, i, 1000);
    }
    write(rank, stream);
  }
  const std::string last = runTracectl("show --last 2 " + run()).out;
  EXPECT_THAT(last, ContainsRegex("69998\\.000 +dp +#69999 .*\n"
                                  " +69999\\.000 +dp +#70000 "));
  EXPECT_THAT(last, Not(HasSubstr("#69998 ")));
  EXPECT_THAT(last, HasSubstr(" Not all rows were counted; --last and "));
  const std::string first = runTracectl("show --limit 3 " + run()).out;
  EXPECT_THAT(first, ContainsRegex("\n +0\\.000 +dp +#1 "));
  EXPECT_THAT(first, HasSubstr("#3 "));
  EXPECT_THAT(first, Not(HasSubstr("#4 ")));
  EXPECT_THAT(first, HasSubstr(" Not all rows were counted; --last and "));
  EXPECT_THAT(runTracectl("show --json --last 2 " + run()).out,
              HasSubstr("\"left_out\":69998"));
}

TEST_F(ShowTest, ABatchIsNotIssuedBeforeTheBeginning) {
  StreamBuilder stream(0, 1);
  stream.addGroup("dp", 0, 1);
  stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
  stream.addCall(v1::OPERATION_COALESCED, 1, 0, 0);
  for (std::uint64_t op = 1; op <= 3; ++op) {
    stream.add(IssueRow{.op = op,
                        .issue_ns = StreamBuilder::kIssueNs +
                                    static_cast<std::int64_t>(op) * kMs,
                        .call = op == 3 ? 2u : 1u,
                        .seq = op == 3 ? 0 : op,
                        .batch = 5});
  }
  write(0, stream);
  const std::string out = runTracectl("show " + run()).out;
  EXPECT_THAT(out, ContainsRegex("\n +2\\.000 .*coalesced \\(2\\)"));
  EXPECT_THAT(out, ContainsRegex("\n +0\\.000 .*#1"));
  EXPECT_THAT(out, Not(HasSubstr("-1.000")));
}

// Groups of four ranks, the last first.
TEST_F(ShowTest, EachRowHasAColumnAndOtherRanksAreListed) {
  for (std::uint32_t rank = 0; rank < 16; ++rank) {
    StreamBuilder stream(rank, 16);
    stream.header().set_boot_id("boot");
    stream.addGroup("tp", rank / 4 * 4, 4);
    stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
    stream.addOperation(1, StreamBuilder::kIssueNs - (rank / 4) * kMs, 1, 1,
                        kMs);
    write(rank, stream);
  }
  const Ran first =
      runTracectl("show --groups all --limit 1 " + run(), "", "COLUMNS=200");
  for (const std::string rank : {"12", "13", "14", "15"}) {
    EXPECT_THAT(first.out, HasSubstr("rank " + rank));
  }
  EXPECT_THAT(first.out, Not(HasSubstr("not shown")));
  const Ran all = runTracectl("show --groups all " + run(), "", "COLUMNS=200");
  for (const std::string rank :
       {"0 ", "1 ", "4 ", "5 ", "8 ", "9 ", "12", "13"}) {
    EXPECT_THAT(all.out + " ", HasSubstr("rank " + rank));
  }
  EXPECT_THAT(all.out,
              HasSubstr("\n Ranks 2-3,6-7,10-11,14-15 are in these rows too "
                        "and not shown: --ranks 2-3,6-7,10-11,14-15\n"));
}

}  // namespace
}  // namespace traced::testing
