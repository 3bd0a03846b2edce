// Tests which rank made or left out a call when only call sites differ.

#include <gtest/gtest.h>

#include "analysis/diagnosis/program/site_alignment.h"
#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

constexpr std::int64_t kStandsUntil = 60'000;

// Lines of the made-up program.
enum Line : std::uint32_t { kStep = 10, kSave = 20, kFinish = 30, kRest = 40 };

// Builds the barriers of one rank. All but the last one end.
class Barriers {
 public:
  explicit Barriers(RankBuilder& rank)
      : rank_(rank), call_(rank.addCall(v1::OPERATION_BARRIER, 1, 0).id()) {}

  Barriers& at(std::uint32_t line, int times = 1) {
    rank_.callAt(line);
    for (int i = 0; i < times; ++i) rank_.end(call_, at_ms_ += 10);
    return *this;
  }
  void hangAt(std::uint32_t line) {
    rank_.callAt(line);
    rank_.hang(call_, at_ms_ += 10);
    rank_.live(kStandsUntil);
  }
  void idle() { rank_.live(kStandsUntil); }

 private:
  RankBuilder& rank_;
  std::uint32_t call_;
  std::int64_t at_ms_ = 0;
};

template <typename Do>
Diagnosis diagnoseBarriers(std::uint32_t world, Do&& act) {
  JobBuilder job(world);
  for (std::uint32_t r = 0; r < world; ++r) act(r, Barriers(job.rank(r)));
  return diagnoseJob(job, Ending::kCut);
}

bool contains(const Diagnosis& diagnosis, const std::string& text) {
  return textOf(diagnosis).find(text) != std::string::npos;
}

TEST(SiteOrderTest, NamesTheRankWithAnExtraCallAtItsOwnLine) {
  for (const std::uint32_t world : {2U, 3U, 8U}) {
    for (std::uint32_t culprit = 0; culprit < world; ++culprit) {
      const Diagnosis diagnosis =
          diagnoseBarriers(world, [&](std::uint32_t rank, Barriers barriers) {
            barriers.at(kStep, 12);
            if (rank != culprit) return barriers.at(kFinish).idle();
            barriers.at(kSave).hangAt(kFinish);
          });
      expectVerdict(diagnosis, VerdictKind::kNeverJoined, {culprit});
      expectConfidence(diagnosis, Confidence::kCertain, Confidence::kLikely);
      EXPECT_TRUE(contains(
          diagnosis, "rank " + std::to_string(culprit) +
                         " likely made an extra call: barrier #13 of \"dp\" "
                         "at /job/train.py:20 in main"))
          << textOf(diagnosis);
    }
  }
}

TEST(SiteOrderTest, NamesTheRankThatLeavesOutALineOfTheOthers) {
  for (const std::uint32_t world : {3U, 8U}) {
    for (std::uint32_t culprit = 0; culprit < world; ++culprit) {
      const Diagnosis diagnosis =
          diagnoseBarriers(world, [&](std::uint32_t rank, Barriers barriers) {
            barriers.at(kStep, 12);
            if (rank == culprit) return barriers.at(kFinish).idle();
            barriers.at(kSave).hangAt(kFinish);
          });
      expectVerdict(diagnosis, VerdictKind::kNeverJoined, {culprit});
      EXPECT_TRUE(contains(diagnosis, "likely left out a call: barrier #13"))
          << textOf(diagnosis);
    }
  }
}

// With two ranks, earlier steps show which of them left its pattern.
TEST(SiteOrderTest, NamesTheOneOfTwoRanksThatLeftOutAUsualCall) {
  for (const bool skips : {true, false}) {
    const Diagnosis diagnosis =
        diagnoseBarriers(2, [&](std::uint32_t rank, Barriers barriers) {
          for (int i = 0; i < 6; ++i) {
            barriers.at(kStep);
            if (skips) barriers.at(kSave);
            barriers.at(kFinish);
          }
          barriers.at(kStep);
          if (rank == 1) return barriers.at(kFinish).idle();
          barriers.at(kSave).hangAt(kFinish);
        });
    expectVerdict(diagnosis, VerdictKind::kNeverJoined, {skips ? 1U : 0U});
    expectConfidence(diagnosis, Confidence::kCertain, Confidence::kLikely);
  }
}

// One of two ranks leaves a loop a step earlier: either may be right.
TEST(SiteOrderTest, NamesBothRanksThatLeaveALoopAtDifferentSteps) {
  const Diagnosis diagnosis =
      diagnoseBarriers(2, [&](std::uint32_t rank, Barriers barriers) {
        barriers.at(kStep, 12);
        if (rank == 1) return barriers.at(kFinish).idle();
        barriers.at(kStep).hangAt(kFinish);
      });
  expectVerdict(diagnosis, VerdictKind::kNeverJoined, {0, 1});
  expectConfidence(diagnosis, Confidence::kCertain, Confidence::kUndecided);
}

// Rank 0 may be stuck after an extra call. Or the others may be stuck after a
// branch by rank, as in loaders that let one rank go first.
TEST(SiteOrderTest, WithoutALaterCallNoMajorityAccuses) {
  for (const std::uint32_t world : {2U, 3U}) {
    const Diagnosis diagnosis =
        diagnoseBarriers(world, [&](std::uint32_t rank, Barriers barriers) {
          barriers.at(kStep, 12);
          if (rank > 0) return barriers.at(kFinish).idle();
          barriers.at(kSave).hangAt(kRest);
        });
    expectVerdict(diagnosis, VerdictKind::kNeverJoined,
                  world == 2 ? Ranks{0, 1} : Ranks{0, 1, 2});
    expectConfidence(diagnosis, Confidence::kCertain, Confidence::kUndecided);
  }
}

// Rank 2 takes a branch now and then. Rank 0 took it at a point where extra
// calls of rank 2 would explain it. Next to rank 1 these extra calls explain
// nothing.
TEST(SiteOrderTest, APairThatOtherLinesExplainContradictsTheOthers) {
  const Diagnosis diagnosis =
      diagnoseBarriers(3, [](std::uint32_t rank, Barriers barriers) {
        if (rank == 2) {
          barriers.at(kSave).at(kRest).at(kStep, 10).at(kSave).at(kStep);
          return barriers.hangAt(kStep);
        }
        barriers.at(kStep, 13).at(rank == 0 ? kSave : kStep).idle();
      });
  EXPECT_FALSE(contains(diagnosis, "extra call")) << textOf(diagnosis);
}

// Identical ranks continue together. The stuck rank is therefore named although
// rank 0 always, or once, called from lines of its own.
TEST(SiteOrderTest, LinesOfItsOwnAreNoFault) {
  for (const bool always : {true, false}) {
    for (const std::uint32_t stuck : {0U, 1U}) {
      const Diagnosis diagnosis =
          diagnoseBarriers(3, [&](std::uint32_t rank, Barriers barriers) {
            for (int i = 0; i < 6; ++i) {
              const bool own = rank == 0 && (always || i == 3);
              barriers.at(own ? kSave : kFinish).at(kStep);
            }
            if (rank == stuck) return barriers.idle();
            barriers.hangAt(kRest);
          });
      expectVerdict(diagnosis, VerdictKind::kNeverJoined, {stuck});
      EXPECT_FALSE(contains(diagnosis, "likely made an extra call"))
          << textOf(diagnosis);
      EXPECT_FALSE(contains(diagnosis, "likely left out"));
    }
  }
}

// The extra call pairs silently with an equal one, until sizes differ.
TEST(SiteOrderTest, AMismatchAfterAnExtraCallNamesItsRank) {
  for (const std::uint32_t world : {2U, 4U}) {
    JobBuilder job(world);
    for (std::uint32_t r = 0; r < world; ++r) {
      RankBuilder& rank = job.rank(r);
      const std::uint32_t grads =
          rank.addCall(v1::OPERATION_ALL_REDUCE, 1, 4096).id();
      const std::uint32_t loss =
          rank.addCall(v1::OPERATION_ALL_REDUCE, 1, 4).id();
      std::int64_t at_ms = 0;
      const auto call = [&](std::uint32_t id, std::uint32_t line) {
        rank.callAt(line);
        rank.end(id, at_ms += 10);
      };
      for (int i = 0; i < 6; ++i) {
        call(grads, kStep);
        call(loss, kRest);
      }
      if (r == 1) call(grads, kSave);
      call(grads, kStep);
      call(loss, kRest);
    }
    const Diagnosis diagnosis = diagnoseJob(job, Ending::kCut);
    ASSERT_FALSE(diagnosis.verdicts.empty());
    EXPECT_EQ(diagnosis.verdicts[0].culprits, Ranks{1}) << textOf(diagnosis);
    EXPECT_TRUE(contains(diagnosis,
                         "rank 1 likely made an extra call: all_reduce "
                         "#13"))
        << textOf(diagnosis);
  }
}

TEST(SiteOrderTest, TwoThreadsThatRaceAreNamedAndNoRank) {
  JobBuilder job(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t reduce =
        rank.addCall(v1::OPERATION_ALL_REDUCE, 1, 4096).id();
    const std::uint32_t gather =
        rank.addCall(v1::OPERATION_ALL_GATHER, 1, 8, 24).id();
    const auto call = [&](bool main, std::int64_t at_ms, bool hangs = true) {
      rank.callAt(main ? kStep : kSave);
      rank.callInThread(main ? 1 : 2);
      const std::uint32_t id = main ? reduce : gather;
      hangs ? rank.hang(id, at_ms) : rank.end(id, at_ms);
    };
    for (int i = 0; i < 6; ++i) call(true, 10 * i, false);
    call(r != 1, 100);
    call(r == 1, 110);
    rank.live(kStandsUntil);
  }
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kCut);
  expectVerdict(diagnosis, VerdictKind::kOrderMismatch, {0, 1, 2});
  expectConfidence(diagnosis, Confidence::kCertain, Confidence::kUndecided);
  EXPECT_TRUE(contains(diagnosis, "Two threads of each rank race for \"dp\""))
      << textOf(diagnosis);
}

// All calls are of one kind. The sizes of the twelve earlier steps show which
// of two ranks left out a call.
TEST(SiteOrderTest, EarlierSizesShowWhichOfTwoRanksLeftOutACall) {
  for (const std::uint32_t culprit : {0U, 1U}) {
    JobBuilder job(2);
    for (std::uint32_t r = 0; r < 2; ++r) {
      RankBuilder& rank = job.rank(r);
      std::uint32_t ids[3];
      for (int i = 0; i < 3; ++i) {
        ids[i] =
            rank.addCall(v1::OPERATION_ALL_REDUCE, 1, i == 2 ? 4 : 4096 << i)
                .id();
      }
      std::int64_t at_ms = 0;
      for (int step = 0; step < 12; ++step) {
        for (const std::uint32_t id : ids) rank.end(id, at_ms += 10);
      }
      rank.end(ids[0], at_ms += 10);
      rank.hang(ids[r == culprit ? 2 : 1], at_ms += 10);
      rank.live(kStandsUntil);
    }
    const Diagnosis diagnosis = diagnoseJob(job, Ending::kCut);
    expectVerdict(diagnosis, VerdictKind::kSizeMismatch, {culprit});
    expectConfidence(diagnosis, Confidence::kCertain, Confidence::kLikely);
  }
}

// Groups {0,1} and {2,3}: roots are global ranks. A rank of another group is
// never named as one that agrees.
TEST(SiteOrderTest, RootsAreGlobalRanks) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t tp = rank.addGroup("tp", r - r % 2, 2);
    const auto broadcast = [&](std::uint32_t root) {
      v1::Call& call = rank.addCall(v1::OPERATION_BROADCAST, tp, 128);
      call.set_root_plus_1(root + 1);
      return call.id();
    };
    const std::uint32_t usual = broadcast(0);
    for (int i = 0; i < 8; ++i) rank.end(usual, 10 * i);
    rank.end(r == 3 ? broadcast(1) : usual, 100);
  }
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kRootMismatch, {3});
  EXPECT_TRUE(
      contains(diagnosis, "rank 3 called broadcast (128 B float32, root 3)"))
      << textOf(diagnosis);
  EXPECT_TRUE(
      contains(diagnosis, "rank 2 called broadcast (128 B float32, root 2)"))
      << textOf(diagnosis);
  EXPECT_TRUE(contains(diagnosis, "root: member 0) on their groups \"tp\""))
      << textOf(diagnosis);
}

SiteCalls callsAt(const std::vector<std::uint32_t>& sites) {
  SiteCalls calls;
  for (const std::uint32_t site : sites) calls.push_back({site, 2, 0});
  return calls;
}

TEST(SiteAlignmentTest, FindsWhoInsertedCalls) {
  const auto found =
      findInsertion(callsAt({1, 1, 7, 8, 2, 3}), callsAt({1, 1, 2, 3}));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->by_first);
  EXPECT_EQ(found->at, 2U);
  EXPECT_EQ(found->length, 2U);
  EXPECT_FALSE(found->may_be_another_line);
  EXPECT_TRUE(
      findInsertion(callsAt({1, 1, 1, 1, 1}), callsAt({1, 1, 7, 1, 1, 1}))
          ->may_be_another_line);
}

TEST(SiteAlignmentTest, ALagOfAFewCallsProvesNothing) {
  const auto mayBeAnotherLine = [](const std::vector<std::uint32_t>& longer,
                                   const std::vector<std::uint32_t>& shorter) {
    const auto found = findInsertion(callsAt(longer), callsAt(shorter));
    return found->may_be_another_line || found->has_no_history;
  };
  EXPECT_TRUE(mayBeAnotherLine({7, 1}, {1}));
  EXPECT_TRUE(mayBeAnotherLine({1, 7, 1}, {1, 1}));
  EXPECT_TRUE(mayBeAnotherLine({1, 1, 7, 7, 1}, {1, 1, 1, 1}));
  // The following call never followed this one before.
  EXPECT_FALSE(mayBeAnotherLine({1, 2, 1, 2, 1, 7, 2}, {1, 2, 1, 2, 1, 2}));
}

// A call of the next step is not the call of the previous step.
TEST(SiteAlignmentTest, CallsAreMatchedInTheirSteps) {
  const auto found = [](std::uint64_t step_of_last) {
    return findInsertion({{1, 2, 1}, {7, 2, 1}, {2, 3, step_of_last}},
                         {{1, 2, 1}, {2, 3, 1}, {1, 2, 2}});
  };
  EXPECT_TRUE(found(0));
  EXPECT_TRUE(found(1));
  EXPECT_FALSE(found(2));
}

TEST(SiteAlignmentTest, FindsNothingWhereAnotherExplanationIsLeft) {
  // Not an insertion: another line, a swap, a tail that does not match, too
  // many calls, no call after it.
  EXPECT_FALSE(findInsertion(callsAt({1, 7, 2, 3}), callsAt({1, 8, 2, 3})));
  EXPECT_FALSE(findInsertion(callsAt({1, 2, 3}), callsAt({1, 3, 2})));
  EXPECT_FALSE(findInsertion(callsAt({1, 7, 2, 9, 4}), callsAt({1, 2, 3, 4})));
  EXPECT_FALSE(findInsertion(
      callsAt({1, 11, 12, 13, 14, 15, 16, 17, 18, 19, 2}), callsAt({1, 2})));
  EXPECT_FALSE(findInsertion(callsAt({1, 7}), callsAt({1, 8})));
}

// One call at another line explains these better than extra calls.
TEST(SiteAlignmentTest, AnotherLineIsNoInsertion) {
  EXPECT_FALSE(
      findInsertion(callsAt({1, 9, 1, 2, 1, 2}), callsAt({1, 2, 1, 2, 1})));
  EXPECT_FALSE(findInsertion(callsAt({1, 9, 1, 2}), callsAt({1, 2})));
  EXPECT_TRUE(findInsertion(callsAt({1, 8, 9, 2}), callsAt({1, 2})));
}

// A pair of lines that occurred before is a habit, even after an insertion.
TEST(SiteAlignmentTest, AHabitIsNoDifference) {
  EXPECT_FALSE(findInsertion(callsAt({5, 1, 5, 1}), callsAt({6, 1, 6})));
  const auto found =
      findInsertion(callsAt({5, 1, 7, 5, 1}), callsAt({6, 1, 6, 1}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at, 2U);
}

}  // namespace
}  // namespace traced::testing
