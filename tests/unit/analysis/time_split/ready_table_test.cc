#include "analysis/time_split/ready_table.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "analysis/job/group_catalog.h"
#include "analysis/reading/stream_loader.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/test_seed.h"
#include "support/write_file.h"

namespace traced {
namespace {

using testing::StreamBuilder;

constexpr std::uint32_t kRanks = 3;
// Enough operations for several threads and several blocks of numbers.
constexpr std::uint64_t kOperations = 6'000;

std::string chunkOf(std::uint32_t rank, std::mt19937_64& random) {
  StreamBuilder stream(rank, kRanks);
  stream.addGroup("dp", 0, kRanks).set_group_rank(rank);
  stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
  stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 32, 32);
  std::uniform_int_distribution<std::int64_t> late_ns(0, 3);
  for (std::uint64_t seq = 1; seq <= kOperations; ++seq) {
    // Now and then a rank calls something else.
    const std::uint32_t call = seq % 1'000 == 0 && rank == 1 ? 2 : 1;
    const auto since_ns = static_cast<std::int64_t>(seq) * 1'000;
    stream.addOperation(seq,
                        StreamBuilder::kIssueNs + since_ns + late_ns(random),
                        call, seq, 500);
  }
  return stream.takeChunk(true);
}

class ReadyTableTest : public ::testing::Test {
 protected:
  ReadyTableTest() {
    std::mt19937_64 random(seed_);
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      testing::writeFile(dir_.path() + "/" + std::to_string(rank),
                         chunkOf(rank, random));
    }
    const auto set = openTraceSet({dir_.path()});
    EXPECT_TRUE(set);
    StreamLoader loader(*set);
    for (const auto& stream : set->streams) {
      tables_.push_back(loader.load(stream));
      groups_.push_back(catalog_.add(tables_.back().header.attempt(),
                                     tables_.back().definitions.groups()));
    }
    clock_.set_source(v1::CLOCK_SOURCE_SAME_CLOCK);
  }

  ReadyTable added(std::size_t threads) {
    ReadyTable ready_times(threads);
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      ready_times.add(OwnReadyTimes(tables_[i], groups_[i]), clock_, 0);
    }
    return ready_times;
  }

  const std::uint64_t seed_ = testing::testSeed();
  testing::TempDir dir_;
  GroupCatalog catalog_;
  std::vector<StreamTable> tables_;
  std::vector<std::vector<std::uint32_t>> groups_;
  v1::ClockModel clock_;
};

TEST_F(ReadyTableTest, SeveralThreadsGiveTheSameTable) {
  SCOPED_TRACE(seed_);
  const ReadyTable by_one = added(1);
  const ReadyTable by_many = added(5);
  EXPECT_EQ(by_many.firstNs(), by_one.firstNs());
  EXPECT_EQ(by_many.lastNs(), by_one.lastNs());
  EXPECT_GT(by_one.lastNs() - by_one.firstNs(), 5'000'000);
  std::size_t met = 0;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const ReadyTable::Stream stream(tables_[i], clock_, 0, groups_[i]);
    const ReadyRows expected(by_one, stream);
    const ReadyRows rows(by_many, stream);
    for (const AssembledOperation& op : tables_[i].operations) {
      const ReadyRow* const row = rows.find(op);
      const ReadyRow* const wanted = expected.find(op);
      ASSERT_EQ(row != nullptr, wanted != nullptr) << op.seq;
      if (!row) continue;
      ++met;
      ASSERT_EQ(row->joined, kRanks) << op.seq;
      ASSERT_EQ(row->parts, kRanks) << op.seq;
      ASSERT_EQ(row->last_rank, wanted->last_rank) << op.seq;
      ASSERT_EQ(row->last.ns, wanted->last.ns) << op.seq;
      ASSERT_EQ(row->before_last.ns, wanted->before_last.ns) << op.seq;
      ASSERT_EQ(row->isLastCertain(), wanted->isLastCertain()) << op.seq;
    }
  }
  // All except those in which ranks called different operations.
  EXPECT_EQ(met, kRanks * (kOperations - kOperations / 1'000));
}

}  // namespace
}  // namespace traced
