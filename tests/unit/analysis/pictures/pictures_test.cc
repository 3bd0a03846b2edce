#include "analysis/pictures/pictures.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "analysis/pictures/link_picture.h"
#include "analysis/pictures/step_picture.h"
#include "analysis/pictures/wait_picture.h"
#include "analysis/report/report_builder.h"
#include "support/job_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

using testing::Ending;
using testing::JobBuilder;
using testing::RankBuilder;

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kUs = 1'000;

class PicturesTest : public ::testing::Test {
 protected:
  Pictures picturesOf(JobBuilder& job, const RunWindow& window = {}) {
    for (std::uint32_t rank = 0; rank < job.size(); ++rank) {
      testing::writeFile(
          dir_.path() + "/" + std::to_string(rank),
          earlier_chunks_[rank] + job.rank(rank).write(Ending::kClosed));
    }
    const auto set = openTraceSet({dir_.path()});
    EXPECT_TRUE(set);
    Report report = buildReport(*set, {ReportKey::kOp}, ReportedScope::kAll,
                                window, false, true);
    EXPECT_TRUE(report.pictures);
    return *std::move(report.pictures);
  }

  // Chunks that a rank wrote before its last one.
  std::map<std::uint32_t, std::string> earlier_chunks_;
  testing::TempDir dir_;
};

// Ten steps of 100 ms. In each, rank r joins an all_reduce r ms late. It ends
// for all ranks 50 ms after the first one joined.
class LateRanksTest : public PicturesTest {
 protected:
  LateRanksTest() : job_(4) {
    for (std::uint32_t rank = 0; rank < job_.size(); ++rank) {
      RankBuilder& built = job_.rank(rank);
      built.addCall(v1::OPERATION_ALL_REDUCE, 1, 1 << 20, 1 << 20);
      for (std::int64_t i = 0; i < 10; ++i) {
        built.beginStep(static_cast<std::uint64_t>(i), 100 * i - 10);
        built.end(1, 100 * i + rank, 50 - std::int64_t{rank});
      }
      built.beginStep(10, 990);
    }
  }

  JobBuilder job_;
};

TEST_F(LateRanksTest, TheLastOneCausesTheWaitingOfAllOthers) {
  const Pictures pictures = picturesOf(job_);
  ASSERT_EQ(pictures.lateness.size(), 4u);
  const RankLateness* worst = pictures.worst();
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->rank, 3u);
  // Rank 2 joined 1 ms before it: it caused that much of the time of three
  // ranks.
  EXPECT_EQ(worst->caused_ns, 10 * 3 * kMs);
  EXPECT_EQ(worst->certain_ns, 10 * 3 * kMs);
  EXPECT_EQ(worst->last_certain, 10u);
  EXPECT_EQ(worst->ready_times, 10u);
  EXPECT_EQ(worst->last, 10u);
  EXPECT_EQ(worst->p25_ns, kMs);
  EXPECT_EQ(worst->max_ns, kMs);
  EXPECT_EQ(pictures.lateness[0].caused_ns, 0u);
  EXPECT_EQ(pictures.lateness[0].last, 0u);

  ASSERT_EQ(pictures.waits.rows.size(), 4u);
  for (std::uint64_t rank = 0; rank < 4; ++rank) {
    std::uint64_t caused_ns = 0, certain_ns = 0, suffered_ns = 0,
                  operations = 0;
    for (const WaitCell& cell : pictures.waits.rows[rank].cells) {
      caused_ns += cell.caused_ns;
      certain_ns += cell.certain_ns;
      suffered_ns += cell.suffered_ns;
      operations += cell.operations;
      EXPECT_EQ(cell.not_known, 0u);
    }
    EXPECT_EQ(caused_ns, pictures.lateness[rank].caused_ns);
    EXPECT_EQ(certain_ns, pictures.lateness[rank].certain_ns);
    EXPECT_EQ(suffered_ns, 10 * (3 - rank) * kMs);
    EXPECT_EQ(operations, 10u);
  }
}

TEST_F(LateRanksTest, TheTimeOfAStepIsReportedInParts) {
  const Pictures pictures = picturesOf(job_);
  const StepPicture& steps = pictures.steps;
  EXPECT_TRUE(steps.by_step);
  EXPECT_EQ(steps.per_entry, 1u);
  ASSERT_EQ(steps.entries.size(), 10u);
  const StepTimes& step = steps.entries[4];
  EXPECT_EQ(step.first, 4u);
  EXPECT_EQ(step.count, 4u);
  EXPECT_EQ(step.longest_ns, 100 * kMs);
  EXPECT_EQ(step.time.totalNs(), 400 * kMs);
  // A wait begins 20 us after the call, which takes 10 us.
  EXPECT_EQ(step.time.calls_ns, 4 * 10 * kUs);
  EXPECT_EQ(step.time.hidden_ns, 4 * 10 * kUs);
  EXPECT_EQ(step.time.exposed_wait_for_peers_ns, 6 * kMs - 3 * 20 * kUs);
  EXPECT_EQ(step.time.exposed_transfer_ns, 4 * 47 * kMs - 20 * kUs);
  EXPECT_EQ(step.time.undecided_ns, 0u);
}

TEST_F(LateRanksTest, AWindowHasItsStepsOnly) {
  RunWindow window;
  window.steps = *StepRange::parse("3-5");
  const Pictures pictures = picturesOf(job_, window);
  ASSERT_EQ(pictures.steps.entries.size(), 3u);
  EXPECT_EQ(pictures.steps.entries.front().first, 3u);
  EXPECT_EQ(pictures.worst()->caused_ns, 3 * 3 * kMs);
}

TEST_F(LateRanksTest, OperationsThatARankDidNotRecordAreUnknown) {
  JobBuilder job(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    RankBuilder& built = job.rank(rank);
    built.addCall(v1::OPERATION_ALL_REDUCE, 1, 4096, 4096);
    built.end(1, rank, 50);
    if (rank == 0) built.hang(1, 100);
  }
  const Pictures pictures = picturesOf(job);
  std::uint64_t not_known = 0;
  for (const WaitCell& cell : pictures.waits.rows[0].cells) {
    not_known += cell.not_known;
  }
  EXPECT_EQ(not_known, 1u);
}

// Rank 3 receives last, so it is late for the next operation.
TEST_F(PicturesTest, TheRootOfABroadcastKeepsOthersWaiting) {
  JobBuilder job(4);
  for (std::uint32_t rank = 0; rank < job.size(); ++rank) {
    RankBuilder& built = job.rank(rank);
    built.addCall(v1::OPERATION_BROADCAST, 1, 4096, 4096).set_root_plus_1(1);
    built.addCall(v1::OPERATION_ALL_REDUCE, 1, 4096, 4096);
    built.end(2, -10);
    for (std::int64_t ms = 0; ms < 1000; ms += 100) {
      rank == 0 ? built.end(1, ms + 20, 10) : built.end(1, ms, 30);
      rank == 3 ? built.end(2, ms + 42, 8) : built.end(2, ms + 40, 10);
    }
  }
  const Pictures pictures = picturesOf(job);
  ASSERT_TRUE(pictures.worst());
  EXPECT_EQ(pictures.worst()->rank, 0u);
  EXPECT_EQ(pictures.worst()->caused_ns, 10 * 3 * 20 * kMs);
  EXPECT_EQ(pictures.worst()->suffered_ns, 10 * 2 * kMs);
  EXPECT_EQ(pictures.lateness[3].caused_ns, 10 * 3 * 2 * kMs);
}

// Rank 2 of a ring is slow: ranks 3 and 0 wait and pass the delay on.
TEST_F(PicturesTest, AmongRanksThatPassADelayOnNoneIsNamed) {
  JobBuilder job(4);
  constexpr std::int64_t kReadyMs[] = {10, 0, 30, 20};
  for (std::uint32_t rank = 0; rank < job.size(); ++rank) {
    RankBuilder& built = job.rank(rank);
    built.addMessage(true, 1, (rank + 1) % 4);
    built.addMessage(false, 1, (rank + 3) % 4);
    for (std::int64_t ms = 0; ms < 1000; ms += 100) {
      built.end(1, ms + kReadyMs[rank], 11);
      built.end(2, ms + kReadyMs[rank], 11);
    }
  }
  const Pictures pictures = picturesOf(job);
  for (const std::uint32_t rank : {0, 2, 3}) {
    EXPECT_EQ(pictures.lateness[rank].caused_ns, 10 * 10 * kMs) << rank;
  }
  EXPECT_FALSE(pictures.worst());
}

// DDP waits for a future, so no wait is recorded. After the second operation
// the rank computes for 4 ms outside of every window.
TEST_F(PicturesTest, PossibleWaitsAreNeitherHiddenNorComputing) {
  JobBuilder job(1);
  RankBuilder& rank = job.rank(0);
  rank.addCall(v1::OPERATION_ALL_REDUCE, 1, 4096, 4096).set_async(true);
  rank.beginStep(0, 0);
  const std::uint64_t ended = rank.hang(1, 0);
  rank.stream().add(DoneRow{.op = ended,
                            .end_ns = RankBuilder::ns(6),
                            .source = v1::END_SOURCE_FUTURE});
  rank.endLater(1, 2, 3);
  rank.beginStep(1, 10);
  rank.hang(1, 11);
  rank.beginStep(2, 20);
  rank.idleUntil(30);
  const StepPicture steps = picturesOf(job).steps;
  ASSERT_EQ(steps.entries.size(), 3u);
  EXPECT_EQ(steps.entries[0].time.may_wait_ns,
            5 * kMs - 2 * 10 * kUs + 20 * kUs);
  EXPECT_EQ(steps.entries[0].time.hidden_ns, 0u);
  EXPECT_EQ(steps.entries[0].time.computing_ns, 4 * kMs);
  EXPECT_EQ(steps.entries[1].time.may_wait_ns, 9 * kMs - 10 * kUs);
  EXPECT_EQ(steps.entries[1].time.hidden_ns, 0u);
}

TEST_F(PicturesTest, AHangIsDrawnToTheEndOfTheAxis) {
  JobBuilder job(2);
  job.all([](RankBuilder& rank) {
    rank.addCall(v1::OPERATION_ALL_REDUCE, 1, 4096, 4096);
    rank.beginStep(0, 0);
    rank.end(1, 10);
    rank.beginStep(1, 100);
  });
  job.rank(0).hang(1, 200);
  job.all([](RankBuilder& rank) { rank.idleUntil(25'000); });
  const Pictures pictures = picturesOf(job);
  const WaitPicture& waits = pictures.waits;
  EXPECT_GE(waits.column_ns * waits.columns, 24'980 * kMs);
  EXPECT_GT(waits.rows[0].cells.back().not_known, 0u);
  EXPECT_EQ(waits.rows[1].cells.back().operations, 0u);
  ASSERT_EQ(pictures.steps.entries.size(), 2u);
  EXPECT_EQ(pictures.steps.entries[1].not_ended, 1u);
  EXPECT_EQ(pictures.steps.entries[1].time.totalNs(), 24'900 * kMs);
  EXPECT_GT(pictures.steps.entries[1].time.undecided_ns, 24'700 * kMs);
}

TEST_F(PicturesTest, ManyStepsAreReportedTogether) {
  JobBuilder job(1);
  RankBuilder& rank = job.rank(0);
  rank.addCall(v1::OPERATION_ALL_REDUCE, 1, 4096, 4096);
  rank.end(1, 0);
  for (std::uint64_t step = 0; step <= 1000; ++step) {
    rank.beginStep(step, 10 + static_cast<std::int64_t>(step));
  }
  const Pictures pictures = picturesOf(job);
  EXPECT_EQ(pictures.steps.per_entry, 8u);
  ASSERT_EQ(pictures.steps.entries.size(), 125u);
  EXPECT_EQ(pictures.steps.entries[1].first, 8u);
  EXPECT_EQ(pictures.steps.entries[1].count, 8u);
  EXPECT_EQ(pictures.steps.entries[1].time.computing_ns, 8 * kMs);
}

TEST_F(PicturesTest, WithoutStepsTimeIsCut) {
  JobBuilder job(2);
  job.all([](RankBuilder& rank) {
    rank.addCall(v1::OPERATION_ALL_REDUCE, 1, 4096, 4096);
    for (std::int64_t i = 0; i < 60; ++i) rank.end(1, 10 * i, 4);
  });
  const Pictures pictures = picturesOf(job);
  EXPECT_FALSE(pictures.steps.by_step);
  ASSERT_EQ(pictures.steps.entries.size(), 60u);
  std::uint64_t transfer_ns = 0;
  for (const StepTimes& times : pictures.steps.entries) {
    transfer_ns += times.time.exposed_transfer_ns;
  }
  EXPECT_NEAR(static_cast<double>(transfer_ns), 2 * 60 * 3.98e6, 1e5);
}

TEST_F(PicturesTest, MessagesAndAllToAllsAreLinks) {
  JobBuilder job(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    RankBuilder& built = job.rank(rank);
    v1::Call& call =
        built.addCall(v1::OPERATION_ALL_TO_ALL_SINGLE, 1, 3000, 3000);
    for (const int split : {1, 3, 2}) call.add_split_in(split);
    for (int i = 0; i < 3; ++i) {
      call.add_split_out(rank == 0 ? 1 : rank == 1 ? 3 : 2);
    }
    built.end(1, 0, 10);
    if (rank == 0) {
      built.addMessage(true, 1, 2, 512);
      built.end(2, 20, 4);
    } else if (rank == 2) {
      built.addMessage(false, 1, 0, 512);
      built.end(2, 20, 4);
    }
  }
  const LinkPicture links = picturesOf(job).links;
  EXPECT_EQ(links.ranks_per_unit, 1u);
  EXPECT_EQ(links.left_out, 0u);
  ASSERT_EQ(links.links.size(), 6u);
  EXPECT_EQ(links.links[0].to, 1u);
  EXPECT_EQ(links.links[0].bytes, 1500u);
  EXPECT_EQ(links.links[0].exchanges.ns, 10 * kMs);
  EXPECT_EQ(links.links[0].messages.ns, 0u);
  EXPECT_EQ(links.links[1].to, 2u);
  EXPECT_EQ(links.links[1].bytes, 1000u + 512u);
  EXPECT_EQ(links.links[1].exchanges.bytes, 1000u);
  EXPECT_EQ(links.links[1].messages.bytes, 512u);
  EXPECT_EQ(links.links[1].messages.ns, 4 * kMs);
  EXPECT_EQ(links.links[2].from, 1u);
  EXPECT_EQ(links.links[2].bytes, 500u);
}

// Two ranks that exchange a list of two tensors with four elements each.
class ListsTest : public PicturesTest {
 protected:
  LinkPicture linksWith(v1::DType of_second) {
    JobBuilder job(2);
    job.all([&](RankBuilder& rank) {
      v1::Call& call = rank.addCall(v1::OPERATION_ALL_TO_ALL, 1, 48, 48);
      call.clear_input();
      for (const v1::DType dtype : {v1::DTYPE_FLOAT32, of_second}) {
        v1::TensorRun* tensor = call.add_input();
        tensor->set_dtype(dtype);
        tensor->add_shape(4);
      }
      rank.end(1, 0, 10);
    });
    return picturesOf(job).links;
  }
};

TEST_F(ListsTest, EachTensorGoesToOneRank) {
  const LinkPicture links = linksWith(v1::DTYPE_FLOAT32);
  ASSERT_EQ(links.links.size(), 2u);
  EXPECT_EQ(links.links[0].bytes, 24u);
  EXPECT_EQ(links.left_out, 0u);
}

TEST_F(ListsTest, ListsOfSeveralDtypesAreLeftOut) {
  const LinkPicture links = linksWith(v1::DTYPE_FLOAT64);
  EXPECT_TRUE(links.links.empty());
  EXPECT_EQ(links.left_out, 2u);
}

// Eight ranks per node.
std::vector<RankNode> nodesOf(const std::vector<std::uint32_t>& ranks) {
  std::vector<RankNode> nodes;
  for (const std::uint32_t rank : ranks) {
    nodes.push_back({rank / 8, "node-" + std::to_string(rank / 8)});
  }
  return nodes;
}

std::vector<std::uint32_t> firstRanks(std::uint32_t count) {
  std::vector<std::uint32_t> ranks(count);
  for (std::uint32_t i = 0; i < count; ++i) ranks[i] = i;
  return ranks;
}

TEST(LinkUnitsTest, ManyRanksAreReportedByNode) {
  const auto few = firstRanks(1024);
  EXPECT_TRUE(LinkUnits(few, nodesOf(few)).nodes().empty());
  EXPECT_EQ(LinkUnits(few, nodesOf(few)).of(1023), 1023u);
  const auto many = firstRanks(2000);
  const LinkUnits units(many, nodesOf(many));
  ASSERT_EQ(units.nodes().size(), 250u);
  EXPECT_EQ(units.of(17), 2u);
  EXPECT_EQ(units.nodes()[2].name, "node-2");
  EXPECT_EQ(units.nodes()[2].ranks,
            (std::vector<std::uint32_t>{16, 17, 18, 19, 20, 21, 22, 23}));
  EXPECT_EQ(units.of(5000), 250u) << "who is on none of them";
}

TEST(LinkUnitsTest, ManyNodesAreReportedTogether) {
  const auto ranks = firstRanks(20'000);
  LinkUnits units(ranks, nodesOf(ranks));
  ASSERT_EQ(units.nodes().size(), 625u) << "four of 2500";
  EXPECT_EQ(units.nodes()[1].name, "node-4");
  EXPECT_EQ(units.nodes()[1].more, 3u);
  EXPECT_EQ(units.nodes()[1].ranks.size(), 32u);
  EXPECT_EQ(units.of(32), 1u);
  units.fold();
  EXPECT_EQ(units.nodes().size(), 313u);
  EXPECT_EQ(units.folded(624), 312u);
  EXPECT_EQ(units.folded(625), 313u) << "who is on none of them";
}

TEST(LinkUnitsTest, WithoutNodesNeighboursAreReportedTogether) {
  const auto ranks = firstRanks(2000);
  EXPECT_EQ(LinkUnits(ranks, {}).ranksPerUnit(), 2u);
  std::vector<RankNode> one_each;
  for (const std::uint32_t rank : ranks) one_each.push_back({rank, ""});
  EXPECT_EQ(LinkUnits(ranks, one_each).ranksPerUnit(), 2u);
  EXPECT_EQ(LinkUnits(ranks, std::vector<RankNode>(2000)).of(1999), 999u);
}

// The device was stalled that long until the end.
// Rank 1 lost records in its second chunk. Its gaps until the first operation
// that is surely complete, the one of step 3, may be waiting.
TEST_F(PicturesTest, GapsBeforeALossAreNotComputing) {
  JobBuilder job(2);
  for (std::uint32_t rank = 0; rank < job.size(); ++rank) {
    RankBuilder& built = job.rank(rank);
    built.addCall(v1::OPERATION_ALL_REDUCE, 1, 4096, 4096);
    std::string& chunks = earlier_chunks_[rank];
    for (std::int64_t i = 0; i < 5; ++i) {
      built.beginStep(static_cast<std::uint64_t>(i), 10 * i);
      built.end(1, 10 * i + 4, 2);
      if (i == 1 && rank == 1) {
        built.stream().drop(v1::DROP_REASON_RING_FULL, 3);
      }
      chunks += built.stream().takeChunk();
    }
    built.beginStep(5, 50);
  }
  const StepPicture steps = picturesOf(job).steps;
  ASSERT_EQ(steps.entries.size(), 5u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(steps.entries[i].time.computing_ns, 8 * kMs) << i;
    EXPECT_EQ(steps.entries[i].time.may_wait_ns, 8 * kMs + 10 * kUs) << i;
  }
  EXPECT_EQ(steps.entries[3].time.may_wait_ns, 4 * kMs);
  EXPECT_EQ(steps.entries[3].time.computing_ns, 12 * kMs);
  EXPECT_EQ(steps.entries[4].time.may_wait_ns, 0u);
  EXPECT_EQ(steps.entries[4].time.computing_ns, 16 * kMs);
}

// Tracing was switched off from 2 to 7 ms, and from 12 ms to the end.
TEST_F(PicturesTest, PausesAreNotComputing) {
  JobBuilder job(1);
  RankBuilder& rank = job.rank(0);
  rank.addCall(v1::OPERATION_ALL_REDUCE, 1, 4096, 4096);
  rank.beginStep(0, 0);
  rank.end(1, 0, 1);
  rank.enable(false, 2);
  rank.enable(true, 7);
  rank.beginStep(1, 10);
  rank.enable(false, 12);
  rank.beginStep(2, 20);
  const StepPicture steps = picturesOf(job).steps;
  ASSERT_EQ(steps.entries.size(), 2u);
  EXPECT_EQ(steps.entries[0].time.may_wait_ns, 5 * kMs);
  EXPECT_EQ(steps.entries[1].time.may_wait_ns, 8 * kMs);
}

TEST(StepPictureTest, AStallIsAWaitThatEndsWithTheOperation) {
  const v1::ClockModel clock;
  StreamTable table;
  for (const std::uint64_t i : {0, 1}) {
    table.marks.add({.position = 10 * i,
                     .mark_ns = static_cast<std::int64_t>(1000 * i),
                     .kind = v1::MARK_KIND_STEP,
                     .value = i});
  }
  table.last = Instant(1000);
  table.marks.finish(Instant(0), table.last);
  AssembledOperation& op = table.operations.emplace_back();
  op.id = 1;
  op.issued = Instant(100);
  op.ended = Instant(800);
  op.stall_ns_plus_1 = 301;
  const ReadyTable::Stream stream(table, clock, 0, MatchedCalls(table, {}),
                                  {{Instant(100), Instant(100), Instant(100)}});
  StepPictureBuilder builder(true, 0, 0);
  RankTime time(table, &stream.ready);
  time.add(0, {}, false);
  time.finish();
  builder.add(stream, stepWindows(table), time);
  const StepPicture picture = std::move(builder).finish();
  ASSERT_FALSE(picture.entries.empty());
  EXPECT_EQ(picture.entries[0].time.undecided_ns, 300u);
  EXPECT_EQ(picture.entries[0].time.hidden_ns, 400u);
}

// Earlier instants occur only in damaged traces.
TEST(StepPictureTest, TheEarliestInstantThatIsTakenIsInAPicture) {
  for (const std::int64_t too_early_ns : {0, 1}) {
    const std::int64_t start_ns = -kLatestNs - too_early_ns;
    const v1::ClockModel clock;
    StreamTable table;
    table.header.mutable_started()->set_monotonic_ns(start_ns);
    table.last = Instant(start_ns + 1000);
    const ReadyTable::Stream stream(table, clock, 0, {});
    StepPictureBuilder builder(false, start_ns, start_ns + 1000);
    RankTime time(table, &stream.ready);
    time.finish();
    builder.add(stream, stepWindows(table), time);
    EXPECT_EQ(std::move(builder).finish().entries.empty(), too_early_ns > 0);
  }
}

// Two threads: one has so many steps that some are merged.
TEST(StepPictureTest, SeveralBuildersMergeIntoTheSamePicture) {
  const v1::ClockModel clock;
  std::vector<StepPictureBuilder> builders(3, StepPictureBuilder(true, 0, 0));
  for (const std::uint32_t rank : {0u, 1u}) {
    StreamTable table;
    table.header.set_rank(rank);
    const std::uint64_t steps = rank == 0 ? 3 : 500;
    for (std::uint64_t i = 0; i <= steps; ++i) {
      const auto at_ns = static_cast<std::int64_t>(1000 * i);
      table.marks.add({.position = i,
                       .mark_ns = at_ns,
                       .kind = v1::MARK_KIND_STEP,
                       .value = i});
      table.last = Instant(at_ns);
    }
    table.marks.finish(Instant(0), table.last);
    const ReadyTable::Stream stream(table, clock, 0, {});
    RankTime time(table, &stream.ready);
    time.finish();
    for (const std::size_t builder : {std::size_t{rank}, std::size_t{2}}) {
      builders[builder].add(stream, stepWindows(table), time);
    }
  }
  for (const bool large_first : {false, true}) {
    StepPictureBuilder sum = builders[large_first];
    sum.add(builders[!large_first]);
    const StepPicture picture = std::move(sum).finish();
    StepPictureBuilder one = builders[2];
    const StepPicture expected = std::move(one).finish();
    EXPECT_EQ(picture.per_entry, expected.per_entry);
    ASSERT_EQ(picture.entries.size(), expected.entries.size());
    for (std::size_t i = 0; i < picture.entries.size(); ++i) {
      EXPECT_EQ(picture.entries[i].first, expected.entries[i].first);
      EXPECT_EQ(picture.entries[i].count, expected.entries[i].count);
      EXPECT_EQ(picture.entries[i].time.totalNs(),
                expected.entries[i].time.totalNs());
    }
  }
}

TEST(LinkPictureTest, TooManyPairsAreReportedByNode) {
  const auto ranks = firstRanks(160);
  LinkPictureBuilder builder(ranks, nodesOf(ranks));
  JobBuilder job(160);
  AssembledOperation op;
  op.call = 0;
  for (const std::uint32_t rank : ranks) {
    job.rank(rank).addCall(v1::OPERATION_ALL_TO_ALL_SINGLE, 1, 1600, 1600);
    StreamTable table;
    table.header.set_rank(rank);
    table.definitions.add(job.rank(rank).stream().payload());
    builder.begin(table);
    builder.add(op, table.definitions.calls()[0], {});
    builder.end();
  }
  const LinkPicture picture = std::move(builder).finish();
  ASSERT_EQ(picture.nodes.size(), 20u);
  ASSERT_EQ(picture.links.size(), 400u);
  EXPECT_EQ(picture.links[0].bytes, 8u * 7 * 10) << "within a node";
  EXPECT_EQ(picture.links[1].bytes, 8u * 8 * 10);
}

TEST(WaitPictureTest, ManyRanksHaveRowsTogether) {
  std::vector<std::uint32_t> ranks(3000);
  for (std::uint32_t i = 0; i < ranks.size(); ++i) ranks[i] = i;
  WaitPictureBuilder builder(ranks, 0, 1'000'000);
  const v1::ClockModel model;
  const ClockCursor clock(model);
  for (const bool is_certain : {true, false}) {
    RankWaits waits;
    waits.for_one[2999].likely.add({500'000, 500'900});
    if (is_certain) waits.for_one[2999].certain.add({500'000, 500'900});
    builder.add(is_certain ? 0 : 2998, std::move(waits), clock);
  }
  EXPECT_EQ(builder.waiting().back().caused_ns, 1800u);
  EXPECT_EQ(builder.waiting().back().certain_ns, 900u);
  const WaitPicture picture = std::move(builder).finish();
  EXPECT_EQ(picture.rows.size(), 1000u);
  EXPECT_EQ(picture.rows.back().first_rank, 2997u);
  EXPECT_EQ(picture.rows.back().last_rank, 2999u);
  EXPECT_LE(picture.columns * picture.rows.size(),
            WaitPictureBuilder::kMaxCells);
  EXPECT_EQ(picture.rows.back().cells[picture.columns / 2].caused_ns, 1800u);
}

// The last row has fewer ranks than the others, and counts.
TEST(WaitPictureTest, CellsAreBoundedWhateverTheNumberOfRanks) {
  for (const std::size_t ranks : {1025, 1311, 2050, 3073}) {
    const WaitPicture picture =
        WaitPictureBuilder(std::vector<std::uint32_t>(ranks), 0, 1000).finish();
    EXPECT_LE(picture.columns * picture.rows.size(),
              WaitPictureBuilder::kMaxCells)
        << ranks;
  }
}

TEST(WaitPictureTest, TheLastInstantHasAColumn) {
  WaitPictureBuilder builder({0, 1}, 0, 1000);
  OperationSplit split;
  split.ready_ns = 1000;
  builder.count(1, split);
  const WaitPicture picture = std::move(builder).finish();
  EXPECT_EQ(picture.without_time, 0u);
}

// A wait counts in each column that it covers, and in the totals also outside
// the picture.
TEST(WaitPictureTest, AWaitIsDistributedOverItsColumns) {
  WaitPictureBuilder builder({0, 1}, 1000, 1199);
  const v1::ClockModel model;
  RankWaits waits;
  waits.all.add({900, 1002});
  waits.all.add({1001, 1003});
  builder.add(1, std::move(waits), ClockCursor(model));
  EXPECT_EQ(builder.waiting()[1].suffered_ns, 103u);
  const WaitPicture picture = std::move(builder).finish();
  ASSERT_EQ(picture.column_ns, 1u);
  for (std::size_t column = 0; column < picture.columns; ++column) {
    EXPECT_EQ(picture.rows[1].cells[column].suffered_ns, column < 3 ? 1u : 0u)
        << column;
  }
}

TEST_F(PicturesTest, AReceiverWaitsForTheSender) {
  JobBuilder job(2);
  for (const bool sends : {true, false}) {
    RankBuilder& rank = job.rank(sends ? 0 : 1);
    rank.addMessage(sends, 1, sends ? 1 : 0);
    rank.end(1, sends ? 50 : 0, sends ? 10 : 60);
  }
  const Pictures pictures = picturesOf(job);
  EXPECT_EQ(pictures.lateness[0].caused_ns, 50 * kMs);
  EXPECT_EQ(pictures.lateness[0].certain_ns, 50 * kMs);
  EXPECT_EQ(pictures.lateness[1].suffered_ns, 50 * kMs);
}

// Rank 1 is 40 ms late to two operations that are in flight at once, as in DDP.
TEST_F(PicturesTest, WaitsOfOverlappingOperationsCountOnce) {
  JobBuilder job(3);
  for (std::uint32_t rank = 0; rank < job.size(); ++rank) {
    RankBuilder& built = job.rank(rank);
    built.addCall(v1::OPERATION_ALL_REDUCE, 1, 4096, 4096).set_async(true);
    for (std::int64_t ms = 0; ms < 1000; ms += 100) {
      const std::int64_t at = rank == 1 ? 40 : 0;
      std::vector<std::uint64_t> ids;
      for (std::int64_t i = 0; i < 2; ++i) {
        ids.push_back(built.hang(1, ms + at + 5 * i));
      }
      for (const std::uint64_t id : ids) {
        built.stream().add(DoneRow{.op = id,
                                   .end_ns = RankBuilder::ns(ms + 60),
                                   .source = v1::END_SOURCE_FUTURE});
      }
    }
  }
  const Pictures pictures = picturesOf(job);
  ASSERT_TRUE(pictures.worst());
  EXPECT_EQ(pictures.worst()->rank, 1u);
  EXPECT_EQ(pictures.worst()->caused_ns, 10 * 2 * 45 * kMs);
  EXPECT_EQ(pictures.worst()->certain_ns, 10 * 2 * 45 * kMs);
  std::uint64_t suffered_ns = 0;
  for (const RankLateness& rank : pictures.lateness) {
    suffered_ns += rank.suffered_ns;
  }
  EXPECT_LE(pictures.worst()->caused_ns, suffered_ns);
}

}  // namespace
}  // namespace traced
