// Tests transfers whose sides have different hashes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

#include "base/examined.h"
#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

HashRow hashRow(std::uint64_t op, ExaminedAt at, std::uint64_t hash,
                std::uint32_t rank_plus_1 = 0, std::uint64_t bytes = 4096) {
  HashRow row;
  row.op = op;
  row.at = static_cast<std::uint32_t>(at);
  row.rank_plus_1 = rank_plus_1;
  row.bytes = bytes;
  row.hash = hash;
  return row;
}

// What rank `from` sends to rank `to`, or to all.
std::uint64_t sentBy(std::uint32_t from, std::uint32_t to = 0) {
  return 1000 + 10 * from + to;
}

// Changes the row of a rank. `repetition`: of the operation.
using Change =
    std::function<void(std::uint32_t rank, int repetition, HashRow& row)>;

// Four ranks repeat an operation three times.
class Transfers {
 public:
  static constexpr std::uint32_t kWorld = 4;
  static constexpr int kTimes = 3;

  explicit Transfers(v1::Operation op) : job_(kWorld), op_(op) {}

  Diagnosis run(const Change& change) {
    for (std::uint32_t r = 0; r < kWorld; ++r) {
      RankBuilder& rank = job_.rank(r);
      v1::Call& call = rank.addCall(op_, 1, 4096, 4096);
      if (op_ == v1::OPERATION_BROADCAST || op_ == v1::OPERATION_SCATTER) {
        call.set_root_plus_1(2);
        call.set_root_global_plus_1(2);
      }
      const std::uint32_t id = call.id();
      for (int i = 0; i < kTimes; ++i) {
        const std::uint64_t op = rank.end(id, 10 * i);
        for (HashRow row : rowsOf(r, op)) {
          change(r, i, row);
          if (row.bytes > 0) rank.stream().add(row);
        }
      }
    }
    return diagnoseJob(job_);
  }

 private:
  std::vector<HashRow> rowsOf(std::uint32_t rank, std::uint64_t op) const {
    constexpr std::uint32_t kRoot = 1;
    constexpr ExaminedAt kIssue = ExaminedAt::kIssue;
    constexpr ExaminedAt kEnd = ExaminedAt::kEnd;
    std::vector<HashRow> rows;
    switch (op_) {
      case v1::OPERATION_ALL_REDUCE:
        return {hashRow(op, kEnd, 77)};
      case v1::OPERATION_BROADCAST:
        if (rank == kRoot) rows.push_back(hashRow(op, kIssue, sentBy(kRoot)));
        rows.push_back(hashRow(op, kEnd, sentBy(kRoot)));
        return rows;
      case v1::OPERATION_ALL_GATHER_INTO_TENSOR:
        rows.push_back(hashRow(op, kIssue, sentBy(rank)));
        for (std::uint32_t r = 0; r < kWorld; ++r) {
          rows.push_back(hashRow(op, kEnd, sentBy(r), r + 1));
        }
        rows.push_back(hashRow(op, ExaminedAt::kInputEnd, sentBy(rank)));
        return rows;
      default:  // all-to-all
        for (std::uint32_t r = 0; r < kWorld; ++r) {
          rows.push_back(hashRow(op, kIssue, sentBy(rank, r), r + 1));
          rows.push_back(hashRow(op, kEnd, sentBy(r, rank), r + 1));
        }
        return rows;
    }
  }

  JobBuilder job_;
  const v1::Operation op_;
};

bool isAtEnd(const HashRow& row) {
  return row.at == static_cast<std::uint32_t>(ExaminedAt::kEnd);
}

constexpr v1::Operation kTransfers[] = {
    v1::OPERATION_ALL_REDUCE, v1::OPERATION_BROADCAST,
    v1::OPERATION_ALL_GATHER_INTO_TENSOR, v1::OPERATION_ALL_TO_ALL_SINGLE};

TEST(TransfersTest, EqualSidesAreHealthy) {
  for (const v1::Operation op : kTransfers) {
    const Diagnosis found =
        Transfers(op).run([](std::uint32_t, int, HashRow&) {});
    EXPECT_THAT(found.verdicts, IsEmpty()) << op;
  }
}

TEST(TransfersTest, AReceiverWithOtherDataThanItsPeersIsNamed) {
  const Diagnosis found =
      Transfers(v1::OPERATION_ALL_GATHER_INTO_TENSOR)
          .run([](std::uint32_t rank, int repetition, HashRow& row) {
            const bool is_it = rank == 3 && repetition == 1 && isAtEnd(row) &&
                               row.rank_plus_1 == 1;
            if (is_it) row.hash ^= 1;
          });
  ASSERT_EQ(found.verdicts.size(), 1u);
  const JobVerdict& verdict = found.verdicts[0];
  EXPECT_EQ(verdict.kind, VerdictKind::kCorruptedTransfer);
  EXPECT_EQ(verdict.finding, Confidence::kCertain);
  EXPECT_EQ(verdict.culprit, Confidence::kLikely);
  EXPECT_THAT(verdict.culprits, ElementsAre(3));
  EXPECT_EQ(verdict.seq, 2u);
  EXPECT_THAT(summaryOf(found.job, verdict),
              HasSubstr("Rank 3 holds other data than rank 0 sent in "
                        "all_gather_into_tensor #2 of \"dp\" (4.0 KiB); ranks "
                        "0-2 hold the same."));
}

TEST(TransfersTest, BothEndsAreNamedIfNobodyElseHasTheData) {
  const Diagnosis found =
      Transfers(v1::OPERATION_ALL_TO_ALL_SINGLE)
          .run([](std::uint32_t rank, int, HashRow& row) {
            if (rank == 2 && isAtEnd(row) && row.rank_plus_1 == 1) row.hash = 5;
          });
  ASSERT_EQ(found.verdicts.size(), 1u);
  EXPECT_THAT(found.verdicts[0].culprits, ElementsAre(0, 2));
  EXPECT_EQ(found.verdicts[0].culprit, Confidence::kUndecided);
  // What the sender held at the end was not recorded.
  EXPECT_EQ(found.verdicts[0].finding, Confidence::kLikely);
  EXPECT_THAT(phrases(found.job, found.verdicts[0].reasons),
              Contains("It happened in 3 operations, last in #3."));
}

TEST(TransfersTest, ResultsOfAReductionAreComparedWithEachOther) {
  const auto with = [](std::uint32_t ranks) {
    return Transfers(v1::OPERATION_ALL_REDUCE)
        .run([ranks](std::uint32_t rank, int repetition, HashRow& row) {
          if (rank < ranks && repetition == 2) row.hash = 5;
        });
  };
  const Diagnosis one = with(1);
  ASSERT_EQ(one.verdicts.size(), 1u);
  EXPECT_THAT(one.verdicts[0].culprits, ElementsAre(0));
  const Diagnosis two = with(2);
  ASSERT_EQ(two.verdicts.size(), 1u);
  EXPECT_EQ(two.verdicts[0].culprit, Confidence::kUndecided);
  EXPECT_THAT(two.verdicts[0].culprits, ElementsAre(0, 1, 2, 3));
}

// Four ranks add up one float each: the sum of rank r is r, and thus 6 in all.
Diagnosis addedUp(v1::Operation op,
                  const std::function<double(std::uint32_t rank)>& result) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    v1::Call& call = rank.addCall(op, 1, 4, 4);
    call.mutable_input(0)->set_dtype(v1::DTYPE_FLOAT32);
    const std::uint64_t id = rank.end(call.id(), 0);
    const auto add = [&](ExaminedAt at, double sum, std::uint32_t part) {
      HashRow row = hashRow(id, at, std::bit_cast<std::uint64_t>(sum), part, 4);
      row.summed = 1;
      row.sum_bits = std::bit_cast<std::uint64_t>(sum);
      row.norm_bits = std::bit_cast<std::uint64_t>(std::abs(sum));
      rank.stream().add(row);
    };
    const bool in_parts = op == v1::OPERATION_REDUCE_SCATTER_TENSOR;
    for (std::uint32_t part = 0; part < (in_parts ? 4 : 1); ++part) {
      add(ExaminedAt::kIssue, r, in_parts ? part + 1 : 0);
    }
    add(ExaminedAt::kEnd, result(r), 0);
  }
  return diagnoseJob(job);
}

TEST(TransfersTest, AResultThatIsNotTheSumIsFound) {
  for (const v1::Operation op :
       {v1::OPERATION_ALL_REDUCE, v1::OPERATION_REDUCE_SCATTER_TENSOR}) {
    EXPECT_THAT(addedUp(op, [](std::uint32_t) { return 6; }).verdicts,
                IsEmpty());
  }
  const Diagnosis all =
      addedUp(v1::OPERATION_ALL_REDUCE, [](std::uint32_t) { return 5; });
  ASSERT_EQ(all.verdicts.size(), 1u);
  EXPECT_EQ(all.verdicts[0].kind, VerdictKind::kCorruptedTransfer);
  EXPECT_EQ(all.verdicts[0].finding, Confidence::kCertain);
  EXPECT_EQ(all.verdicts[0].culprit, Confidence::kUndecided);
  EXPECT_THAT(all.verdicts[0].culprits, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(summaryOf(all.job, all.verdicts[0]),
              HasSubstr("Ranks 0-3 hold a result of all_reduce #1 of \"dp\" "
                        "(4 B) that is not the sum of the inputs."));
  const Diagnosis one =
      addedUp(v1::OPERATION_REDUCE_SCATTER_TENSOR,
              [](std::uint32_t rank) { return rank == 2 ? 5 : 6; });
  ASSERT_EQ(one.verdicts.size(), 1u);
  EXPECT_THAT(summaryOf(one.job, one.verdicts[0]),
              HasSubstr("Rank 2 holds a result of"));
}

TEST(TransfersTest, TheSumTellsWhichResultIsRight) {
  // Most ranks agree on a wrong one.
  const Diagnosis found =
      addedUp(v1::OPERATION_ALL_REDUCE,
              [](std::uint32_t rank) { return rank == 1 ? 6 : 5; });
  ASSERT_EQ(found.verdicts.size(), 1u);
  EXPECT_EQ(found.verdicts[0].culprit, Confidence::kLikely);
  EXPECT_THAT(found.verdicts[0].culprits, ElementsAre(0, 2, 3));
  EXPECT_THAT(summaryOf(found.job, found.verdicts[0]),
              HasSubstr("is not the sum of the inputs; rank 1 holds the sum."));
}

TEST(TransfersTest, AChangedInputIsTheSendersFault) {
  const Diagnosis found =
      Transfers(v1::OPERATION_ALL_GATHER_INTO_TENSOR)
          .run([](std::uint32_t rank, int repetition, HashRow& row) {
            if (repetition != 1) return;
            const bool is_own_end =
                row.at == static_cast<std::uint32_t>(ExaminedAt::kInputEnd);
            if (rank == 1 && is_own_end) row.hash = 9;
            // Some receive the old data, some the new.
            if (rank > 1 && isAtEnd(row) && row.rank_plus_1 == 2) row.hash = 9;
          });
  ASSERT_EQ(found.verdicts.size(), 1u);
  EXPECT_EQ(found.verdicts[0].kind, VerdictKind::kBufferChanged);
  EXPECT_THAT(found.verdicts[0].culprits, ElementsAre(1));
}

TEST(TransfersTest, WithoutTheSenderReceiversAreCompared) {
  const Diagnosis found = Transfers(v1::OPERATION_BROADCAST)
                              .run([](std::uint32_t rank, int, HashRow& row) {
                                if (rank == 1) row.bytes = 0;  // not recorded
                                if (rank == 3) row.hash = 5;
                              });
  ASSERT_EQ(found.verdicts.size(), 1u);
  EXPECT_THAT(found.verdicts[0].culprits, ElementsAre(3));
  EXPECT_THAT(summaryOf(found.job, found.verdicts[0]),
              HasSubstr("Equal are: ranks 0,2; rank 3."));
}

TEST(TransfersTest, WhatWasSkippedOrHasAnotherSizeIsNotCompared) {
  EXPECT_THAT(Transfers(v1::OPERATION_ALL_REDUCE)
                  .run([](std::uint32_t rank, int, HashRow& row) {
                    if (rank == 1) row = hashRow(row.op, ExaminedAt::kEnd, 0);
                    if (rank == 1) row.skipped = v1::SKIP_REASON_NO_END;
                  })
                  .verdicts,
              IsEmpty());
  EXPECT_THAT(Transfers(v1::OPERATION_BROADCAST)
                  .run([](std::uint32_t rank, int, HashRow& row) {
                    if (rank == 2) row.bytes = 8, row.hash = 5;
                  })
                  .verdicts,
              IsEmpty());
}

TEST(TransfersTest, NumbersAfterAFailureAreNotCompared) {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t call = rank.addMessage(/*sends=*/r == 0, 1, 1 - r).id();
    // The program calls it again, so later numbers differ by one.
    if (r == 0) rank.fail(call, 0, 1, "not contiguous");
    for (std::uint64_t i = 0; i < 3; ++i) {
      const std::uint64_t op = rank.end(call, 10 + static_cast<int>(i));
      const ExaminedAt at = r == 0 ? ExaminedAt::kIssue : ExaminedAt::kEnd;
      rank.stream().add(hashRow(op, at, 500 + i));
    }
  }
  for (const JobVerdict& verdict : diagnoseJob(job).verdicts) {
    EXPECT_NE(verdict.kind, VerdictKind::kCorruptedTransfer);
  }
}

TEST(TransfersTest, AnEngineThatMayGiveOtherResultsIsNotJudged) {
  JobBuilder job(2);
  job.all([](RankBuilder& rank) {
    rank.stream().payload().mutable_group(0)->set_backend_class("acme.Backend");
    const std::uint32_t call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
    const std::uint64_t op = rank.end(call, 0);
    const auto own = reinterpret_cast<std::uintptr_t>(&rank);
    rank.stream().add(hashRow(op, ExaminedAt::kEnd, own));
  });
  EXPECT_THAT(diagnoseJob(job).verdicts, IsEmpty());
}

}  // namespace
}  // namespace traced::testing
