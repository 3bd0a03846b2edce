// Compares rows at one end of a run, read from a part of it, with those of the
// whole run.

#include "analysis/match/rows_at_end.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/job/group_catalog.h"
#include "analysis/match/row_groups.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/test_seed.h"
#include "support/write_file.h"

namespace traced {
namespace {

using testing::StreamBuilder;
using End = PartToLoad::End;

constexpr std::uint32_t kMeshRanks = 8;
// Calls of every rank.
constexpr std::uint32_t kAllReduce = 1;
constexpr std::uint32_t kOfPair = 2;
constexpr std::uint32_t kSend = 3;
constexpr std::uint32_t kReceive = 4;
constexpr std::uint32_t kCoalesced = 5;

// Builds one rank of a job: all ranks are in "dp", pairs are in "tp", and
// messages travel in a ring.
class MeshRank {
 public:
  explicit MeshRank(std::uint32_t rank) : stream_(rank, kMeshRanks) {
    stream_.header().set_host("one");
    stream_.addGroup("dp", 0, kMeshRanks);
    stream_.addGroup("tp", rank / 2 * 2, 2).set_nth(1);
    stream_.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
    stream_.addCall(v1::OPERATION_ALL_REDUCE, 2, 64, 64);
    stream_.addCall(v1::OPERATION_SEND, 1, 64, 0)
        .set_peer_global_plus_1((rank + 1) % kMeshRanks + 1);
    stream_.addCall(v1::OPERATION_RECV, 1, 0, 64)
        .set_peer_global_plus_1((rank + kMeshRanks - 1) % kMeshRanks + 1);
    stream_.addCall(v1::OPERATION_COALESCED, 1, 0, 0);
  }

  void issue(std::uint32_t call, std::uint64_t seq, std::uint64_t batch = 0) {
    stream_.add(IssueRow{.op = ++operation_,
                         .issue_ns = ns_,
                         .call = call,
                         .seq = seq,
                         .batch = batch});
  }
  std::uint64_t next(std::uint32_t call) { return ++numbers_[call]; }
  void pass(std::int64_t ns) { ns_ += ns; }
  std::uint64_t nextBatch() { return ++batches_; }
  StreamBuilder& stream() { return stream_; }

 private:
  StreamBuilder stream_;
  std::int64_t ns_ = StreamBuilder::kIssueNs;
  std::uint64_t operation_ = 0;
  std::uint64_t batches_ = 0;
  std::array<std::uint64_t, 6> numbers_ = {};
};

class RowsAtEndTest : public ::testing::Test {
 protected:
  RowsAtEndTest() {
    for (std::uint32_t rank = 0; rank < kMeshRanks; ++rank)
      ranks_.emplace_back(rank);
  }

  TraceSet write() {
    for (MeshRank& rank : ranks_) {
      StreamBuilder& stream = rank.stream();
      testing::writeFile(dir_.path() + "/" + std::to_string(stream.streamId()),
                         stream.takeChunk(true));
    }
    auto set = openTraceSet({dir_.path()});
    EXPECT_TRUE(set);
    return std::move(*set);
  }

  static MatchTable match(const LoadedPart& part, bool fold,
                          MatchFilter filter = {}) {
    filter.not_kept = &part.not_kept;
    MatchTable table = matchOperations(part.run, filter);
    if (!fold) return table;
    return foldGroups(part.run, table, GroupRoles(part.run.groups),
                      filter.not_kept);
  }

  // Returns everything that is shown of a row.
  static std::string text(const LoadedRun& run, const MatchTable& table,
                          const MatchRow& row) {
    std::string text =
        absl::StrCat(run.groups.label(row.group), " x", row.groups, " #",
                     row.seq, " at ", row.first_issue_ns, " in ", row.order_ns,
                     row.ends_batch ? " ends " : " ", row.members);
    if (row.pair) {
      absl::StrAppend(&text, " ", row.pair->first, ">", row.pair->second);
    }
    for (const MatchCell& cell : table.cellsOf(row)) {
      const StreamTable& stream = run.streams[cell.stream].table;
      absl::StrAppend(&text, " ", stream.header.rank(), ":",
                      stream.operations[cell.operation].id);
    }
    return text;
  }
  static std::vector<std::string> texts(const LoadedRun& run,
                                        const MatchTable& table, End end,
                                        std::size_t rows) {
    absl::Span<const MatchRow> wanted = table.rows;
    wanted = end == End::kFirst ? wanted.first(rows) : wanted.last(rows);
    std::vector<std::string> all;
    for (const MatchRow& row : wanted) all.push_back(text(run, table, row));
    return all;
  }

  // Returns for how many numbers of rows a part of the run suffices. Expects
  // these rows to equal those of the whole run.
  static std::size_t known(const TraceSet& set, const PartToLoad& part,
                           bool fold, const MatchFilter& filter = {}) {
    LoadedPart whole;
    whole.run = loadRun(set);
    const MatchTable expected = match(whole, fold, filter);
    const LoadedPart loaded = loadPart(set, part, filter);
    const MatchTable table = match(loaded, fold, filter);
    std::size_t known = 0;
    for (std::size_t rows = 1; rows <= table.rows.size(); ++rows) {
      if (!rowsAreKnown(table, loaded.not_kept, {part.end, rows})) continue;
      ++known;
      EXPECT_EQ(texts(loaded.run, table, part.end, rows),
                texts(whole.run, expected, part.end, rows));
    }
    return known;
  }

  testing::TempDir dir_;
  std::vector<MeshRank> ranks_;
};

// Runs one rank's part of a step in a random program. The rank may skip it,
// repeat it, or be late.
void act(MeshRank& rank, int what, std::uint32_t sender, std::uint32_t self) {
  switch (what) {
    case 0:
      rank.issue(kOfPair, rank.next(kOfPair));
      return;
    case 1: {
      if (self == sender) rank.issue(kSend, rank.next(kSend));
      if (self == (sender + 1) % kMeshRanks) {
        rank.issue(kReceive, rank.next(kReceive));
      }
      return;
    }
    case 2: {
      const std::uint64_t batch = rank.nextBatch();
      for (int i = 0; i < 2; ++i) {
        rank.issue(kAllReduce, rank.next(kAllReduce), batch);
        rank.pass(1000);
      }
      rank.issue(kCoalesced, 0, batch);
      return;
    }
    case 3:
      rank.issue(kAllReduce, 0);
      return;
    default:
      rank.issue(kAllReduce, rank.next(kAllReduce));
  }
}

TEST_F(RowsAtEndTest, APartGivesTheRowsOfTheWholeRun) {
  std::mt19937_64 random(testing::testSeed());
  SCOPED_TRACE(absl::StrCat("TEST_SEED=", testing::testSeed()));
  const auto draw = [&random](std::uint64_t below) { return random() % below; };
  std::size_t known = 0;
  for (int run = 0; run < 12; ++run) {
    ranks_.clear();
    for (std::uint32_t rank = 0; rank < kMeshRanks; ++rank)
      ranks_.emplace_back(rank);
    const std::uint64_t stuck = draw(2 * kMeshRanks);
    const std::uint64_t until = draw(40);
    for (std::uint64_t step = 0; step < 40; ++step) {
      const int what = static_cast<int>(draw(7));
      const auto sender = static_cast<std::uint32_t>(draw(kMeshRanks));
      for (std::uint32_t self = 0; self < kMeshRanks; ++self) {
        MeshRank& rank = ranks_[self];
        if (self == stuck && step > until) continue;
        rank.pass(
            static_cast<std::int64_t>(draw(draw(10) == 0 ? 500'000 : 9'000)) +
            1);
        // A rank skips a number, or uses it twice.
        if (draw(60) == 0) rank.next(kAllReduce);
        if (draw(60) == 0) rank.issue(kAllReduce, 1 + draw(20));
        act(rank, what, sender, self);
      }
    }
    const TraceSet set = write();
    for (const End end : {End::kFirst, End::kLast}) {
      for (const std::size_t operations : {1u, 2u, 5u, 12u, 30u, 1000u}) {
        for (const bool fold : {false, true}) {
          known += this->known(set, {end, operations}, fold);
        }
        MatchFilter filter;
        filter.groups = {draw(2) == 0 ? "dp" : "tp"};
        if (draw(2) == 0) filter.ranks = {1, 2, 5};
        known += this->known(set, {end, operations}, /*fold=*/false, filter);
      }
    }
  }
  // 1000 operations are the whole run and yield all rows.
  EXPECT_GT(known, 5000u);
}

TEST_F(RowsAtEndTest, FewOperationsOfAHealthyRunGiveManyRows) {
  for (MeshRank& rank : ranks_) {
    for (int i = 0; i < 100; ++i) {
      rank.pass(1000);
      rank.issue(kAllReduce, rank.next(kAllReduce));
      rank.pass(1000);
      rank.issue(kOfPair, rank.next(kOfPair));
    }
  }
  const TraceSet set = write();
  for (const End end : {End::kFirst, End::kLast}) {
    EXPECT_GE(known(set, {end, 20}, /*fold=*/true), 18u);
    EXPECT_GE(known(set, {end, 20}, /*fold=*/false), 45u);
  }
}

// The last operation of a hung rank is long ago. The operation that the others
// wait for is found all the same.
TEST_F(RowsAtEndTest, AHungRankHidesNothing) {
  for (MeshRank& rank : ranks_) {
    const bool stuck = &rank == &ranks_[3];
    for (int i = 0; i < (stuck ? 50 : 60); ++i) {
      rank.pass(1000);
      rank.issue(kAllReduce, rank.next(kAllReduce));
    }
  }
  EXPECT_GE(known(write(), {End::kLast, 20}, /*fold=*/false), 19u);
}

// Rank 1 issued its part long before the others, and that part is not loaded.
// Without it the row would begin with the others.
TEST_F(RowsAtEndTest, AnIncompleteRowIsNotReported) {
  for (MeshRank& rank : ranks_) {
    if (&rank == &ranks_[1]) rank.issue(kAllReduce, 1);
    rank.pass(1'000'000);
    for (int i = 0; i < 5; ++i) rank.issue(kOfPair, rank.next(kOfPair));
    rank.pass(1'000'000);
    if (&rank != &ranks_[1]) rank.issue(kAllReduce, 1);
  }
  EXPECT_EQ(known(write(), {End::kLast, 1}, /*fold=*/false), 0u);
}

TEST_F(RowsAtEndTest, ABatchIsKeptWholeOrNotAtAll) {
  for (MeshRank& rank : ranks_) {
    for (int i = 0; i < 10; ++i) act(rank, 2, 0, 0);
  }
  const TraceSet set = write();
  for (const End end : {End::kFirst, End::kLast}) {
    const LoadedPart part = loadPart(set, {end, 4});
    for (const LoadedRun::Stream& stream : part.run.streams) {
      EXPECT_EQ(stream.table.operations.size(), 6u);
      EXPECT_EQ(stream.table.operations.front().id % 3, 1u);
    }
  }
}

// All earlier operations decide which message a receive from any source took.
TEST_F(RowsAtEndTest, LoadsEverythingIfNumbersDoNotIdentifyMessages) {
  for (MeshRank& rank : ranks_) {
    rank.stream().payload().mutable_call(3)->clear_peer_global_plus_1();
    for (int i = 0; i < 10; ++i) rank.issue(kReceive, 0);
  }
  const LoadedPart part = loadPart(write(), {End::kLast, 1});
  EXPECT_TRUE(part.not_kept.empty());
  EXPECT_EQ(part.run.streams[0].table.operations.size(), 10u);
}

// For a filter on rarely used groups, their calls are found without all others.
TEST_F(RowsAtEndTest, OperationsOfOtherGroupsAreNotKept) {
  for (MeshRank& rank : ranks_) {
    for (int i = 0; i < 200; ++i) {
      rank.pass(1000);
      const bool all = i % 50 == 0;
      rank.issue(all ? kAllReduce : kOfPair, 1 + (all ? i / 50 : i));
    }
  }
  const TraceSet set = write();
  MatchFilter dp;
  dp.groups = {"dp"};
  EXPECT_EQ(known(set, {End::kLast, 3}, /*fold=*/false, dp), 3u);
  const LoadedPart part = loadPart(set, {End::kLast, 3}, dp);
  EXPECT_EQ(part.run.streams[0].table.operations.size(), 3u);
  EXPECT_EQ(part.run.first_issue_ns, StreamBuilder::kIssueNs + 1000);
}

// Rank 2 is so late that its first loaded part was issued after everything the
// others ever did.
TEST_F(RowsAtEndTest, MoreIsLoadedUntilTheRowsAreKnown) {
  const std::uint64_t many = (1 << 17) / kMeshRanks * 5 / 3;
  for (MeshRank& rank : ranks_) {
    if (&rank == &ranks_[2]) rank.pass(1'000'000'000);
    for (std::uint64_t i = 0; i < many; ++i) {
      rank.pass(1000);
      rank.issue(kOfPair, rank.next(kOfPair));
    }
  }
  const TraceSet set = write();
  RowsAtEnd rows(set, RowsWanted{End::kLast, 1}, {});
  EXPECT_FALSE(rows.hasAll());
  rows.match(/*fold=*/false);
  EXPECT_TRUE(rows.hasAll());
  EXPECT_EQ(rows.table().rows.size(), many * kMeshRanks / 2);
  EXPECT_EQ(rows.table().rows.back().cell_count, 2u);
}

}  // namespace
}  // namespace traced
