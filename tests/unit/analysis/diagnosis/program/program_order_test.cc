// Tests which rank broke the program's order of calls.

#include <gtest/gtest.h>

#include <functional>

#include "analysis/diagnosis/program/program_habit.h"
#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

constexpr std::int64_t kStopped = 60'000;
constexpr int kSteps = 12;

// Builds the calls of one rank, made one after the other.
class Program {
 public:
  explicit Program(RankBuilder& rank) : rank_(rank) {}

  // Adds the rank's group of two: 0 and 1, 2 and 3, ...
  std::uint32_t addPair(std::uint32_t self, const std::string& desc = "tp") {
    return rank_.addGroup(desc, self - self % 2, 2);
  }
  std::uint32_t allReduce(std::uint32_t group, std::uint64_t bytes = 4096) {
    v1::Call& call = rank_.addCall(v1::OPERATION_ALL_REDUCE, group, bytes);
    call.set_reduce_op(v1::REDUCE_OP_SUM);
    return call.id();
  }
  std::uint32_t barrier(std::uint32_t group) {
    return rank_.addCall(v1::OPERATION_BARRIER, group, 0).id();
  }

  void end(std::uint32_t call) { rank_.end(call, at_ms_ += 10); }
  void hang(std::uint32_t call) {
    rank_.hang(call, at_ms_ += 10);
    rank_.live(kStopped);
  }
  void idle() { rank_.live(kStopped); }

 private:
  RankBuilder& rank_;
  std::int64_t at_ms_ = 0;
};

// Runs steps of an all_reduce of the pair and a barrier of all ranks. In the
// last step each rank runs `last`.
using LastStep =
    std::function<void(std::uint32_t rank, Program& program,
                       std::uint32_t reduce, std::uint32_t barrier)>;

Diagnosis diagnosePairs(std::uint32_t world, const LastStep& last,
                        int steps = kSteps) {
  JobBuilder job(world);
  for (std::uint32_t r = 0; r < world; ++r) {
    Program program(job.rank(r));
    const std::uint32_t reduce = program.allReduce(program.addPair(r));
    const std::uint32_t barrier = program.barrier(1);
    for (int step = 0; step < steps; ++step) {
      program.end(reduce);
      program.end(barrier);
    }
    last(r, program, reduce, barrier);
  }
  return diagnoseJob(job, Ending::kCut);
}

bool isPeer(std::uint32_t a, std::uint32_t b) { return (a ^ b) == 1; }

TEST(ProgramOrderTest, NamesTheRankOfAPairThatSkippedNotTheWaitingOne) {
  for (std::uint32_t culprit = 0; culprit < 4; ++culprit) {
    const Diagnosis diagnosis =
        diagnosePairs(4, [&](std::uint32_t rank, Program& program,
                             std::uint32_t reduce, std::uint32_t barrier) {
          if (isPeer(rank, culprit)) return program.hang(reduce);
          if (rank != culprit) program.end(reduce);
          program.hang(barrier);
        });
    expectVerdict(diagnosis, VerdictKind::kDeadlock, {culprit});
    expectConfidence(diagnosis, Confidence::kCertain, Confidence::kLikely);
    EXPECT_NE(textOf(diagnosis).find("in the same place"), std::string::npos)
        << textOf(diagnosis);
  }
}

// Also in the first step, without any history.
TEST(ProgramOrderTest, OtherPairsShowTheCulpritInTheFirstStep) {
  const Diagnosis diagnosis = diagnosePairs(
      4,
      [&](std::uint32_t rank, Program& program, std::uint32_t reduce,
          std::uint32_t barrier) {
        if (rank == 0) return program.hang(reduce);
        if (rank != 1) program.end(reduce);
        program.hang(barrier);
      },
      0);
  expectVerdict(diagnosis, VerdictKind::kDeadlock, {1});
}

TEST(ProgramOrderTest, NamesTheRankOfAPairWithAnExtraCall) {
  for (std::uint32_t culprit = 0; culprit < 4; ++culprit) {
    const Diagnosis diagnosis =
        diagnosePairs(4, [&](std::uint32_t rank, Program& program,
                             std::uint32_t reduce, std::uint32_t barrier) {
          program.end(reduce);
          program.hang(rank == culprit ? reduce : barrier);
        });
    expectVerdict(diagnosis, VerdictKind::kDeadlock, {culprit});
    expectConfidence(diagnosis, Confidence::kCertain, Confidence::kLikely);
  }
}

TEST(ProgramOrderTest, NamesTheOneOfTwoRanksThatLeftItsPattern) {
  for (const bool skips : {true, false}) {
    for (std::uint32_t culprit = 0; culprit < 2; ++culprit) {
      const Diagnosis diagnosis =
          diagnosePairs(2, [&](std::uint32_t rank, Program& program,
                               std::uint32_t reduce, std::uint32_t barrier) {
            if (!skips) program.end(reduce);
            program.hang((rank == culprit) == skips ? barrier : reduce);
          });
      expectVerdict(diagnosis, VerdictKind::kDeadlock, {culprit});
      expectConfidence(diagnosis, Confidence::kCertain, Confidence::kLikely);
    }
  }
}

TEST(ProgramOrderTest, NamesBothRanksWithoutAPattern) {
  const Diagnosis diagnosis = diagnosePairs(
      2,
      [&](std::uint32_t rank, Program& program, std::uint32_t reduce,
          std::uint32_t barrier) {
        program.hang(rank == 0 ? reduce : barrier);
      },
      0);
  expectVerdict(diagnosis, VerdictKind::kDeadlock, {0, 1});
  expectConfidence(diagnosis, Confidence::kCertain, Confidence::kUndecided);
}

// One of the two is in a call that it never made there, the other is silent.
TEST(ProgramOrderTest, ASilentRankMayBeStuckWhateverTheOtherCalls) {
  const Diagnosis diagnosis =
      diagnosePairs(2, [&](std::uint32_t rank, Program& program,
                           std::uint32_t reduce, std::uint32_t barrier) {
        program.end(reduce);
        program.end(barrier);
        if (rank == 1) return program.idle();
        program.hang(program.allReduce(1, 64));
      });
  expectVerdict(diagnosis, VerdictKind::kNeverJoined, {0, 1});
  expectConfidence(diagnosis, Confidence::kCertain, Confidence::kUndecided);
}

TEST(ProgramOrderTest, NamesTheSilentRankIfTheOtherKeepsItsPattern) {
  const Diagnosis diagnosis =
      diagnosePairs(2, [&](std::uint32_t rank, Program& program,
                           std::uint32_t reduce, std::uint32_t) {
        if (rank == 1) return program.idle();
        program.hang(reduce);
      });
  expectVerdict(diagnosis, VerdictKind::kNeverJoined, {1});
  expectConfidence(diagnosis, Confidence::kCertain, Confidence::kLikely);
}

// A size that only one rank of a pair uses is wrong, as other pairs show.
TEST(ProgramOrderTest, OtherPairsShowWhichRankCallsSomethingElse) {
  for (std::uint32_t culprit = 0; culprit < 4; ++culprit) {
    const Diagnosis diagnosis =
        diagnosePairs(4, [&](std::uint32_t rank, Program& program,
                             std::uint32_t reduce, std::uint32_t) {
          program.end(rank == culprit ? program.allReduce(2, 512) : reduce);
        });
    expectVerdict(diagnosis, VerdictKind::kSizeMismatch, {culprit});
    expectConfidence(diagnosis, Confidence::kCertain, Confidence::kLikely);
  }
}

// The pairs have always done different things, so a majority is no rule for the
// rest.
TEST(ProgramOrderTest, DifferentHabitsOfOthersAreNoEvidence) {
  JobBuilder job(8);
  for (std::uint32_t r = 0; r < 8; ++r) {
    Program program(job.rank(r));
    const std::uint32_t pair = program.addPair(r);
    const std::uint32_t reduce = program.allReduce(pair);
    const std::uint32_t other = program.allReduce(pair, 64);
    const std::uint32_t barrier = program.barrier(1);
    const bool is_odd = r < 2;
    for (int step = 0; step <= kSteps; ++step) {
      const bool last = step == kSteps;
      program.end(is_odd ? other : reduce);
      program.end(is_odd ? other : reduce);
      if (!last) {
        program.end(barrier);
      } else if (r == 7) {
        program.hang(reduce);
      } else {
        program.hang(barrier);
      }
    }
  }
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kCut);
  expectVerdict(diagnosis, VerdictKind::kDeadlock, {7});
}

// Ranks 0 and 1 always exchange two messages; now 0 does not send the first.
TEST(ProgramOrderTest, NamesTheRankThatLeftOutAMessageOfAnExchange) {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    Program program(job.rank(r));
    const auto addMessage = [&](bool is_send) {
      v1::Call& call = job.rank(r).addMessage(is_send, 1, 1 - r);
      call.set_async(false);
      return call.id();
    };
    const std::uint32_t sends = addMessage(true);
    const std::uint32_t receives = addMessage(false);
    for (int step = 0; step < kSteps; ++step) {
      program.end(r == 0 ? sends : receives);
      program.end(r == 0 ? receives : sends);
    }
    program.hang(receives);
  }
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kCut);
  expectVerdict(diagnosis, VerdictKind::kDeadlock, {0});
  expectConfidence(diagnosis, Confidence::kCertain, Confidence::kLikely);
}

// Rank 1 now waits for rank 0 instead of sending to rank 2, which behaves as
// always. Rank 0 waits for rank 2, and it had never called anything before.
TEST(ProgramOrderTest, ARankWithoutHistoryHidesNobody) {
  JobBuilder job(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    Program program(job.rank(r));
    const auto addMessage = [&](bool is_send, std::uint32_t peer) {
      v1::Call& call = job.rank(r).addMessage(is_send, 1, peer);
      call.set_async(false);
      return call.id();
    };
    if (r == 0) {
      program.hang(addMessage(false, 2));
      continue;
    }
    const std::uint32_t sends = addMessage(true, 3 - r);
    const std::uint32_t receives = addMessage(false, 3 - r);
    for (int step = 0; step < kSteps; ++step) {
      program.end(r == 1 ? sends : receives);
      program.end(r == 1 ? receives : sends);
    }
    program.hang(r == 1 ? addMessage(false, 0) : receives);
  }
  expectVerdict(diagnoseJob(job, Ending::kCut), VerdictKind::kDeadlock, {1});
}

// The lost records may contain the missing call.
TEST(ProgramOrderTest, ATraceThatLostRecordsProvesNoOrder) {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    Program program(job.rank(r));
    const std::uint32_t reduce = program.allReduce(program.addPair(r));
    const std::uint32_t barrier = program.barrier(1);
    for (int step = 0; step < kSteps; ++step) {
      program.end(reduce);
      program.end(barrier);
    }
    program.hang(r == 0 ? reduce : barrier);
    if (r == 1) job.rank(r).stream().drop(v1::DROP_REASON_RING_FULL, 3);
  }
  EXPECT_EQ(diagnoseJob(job, Ending::kCut).culprits, Ranks{});
}

// For example, the root of a reduce rotates among the ranks.
TEST(ProgramOrderTest, ARootThatChangesFromStepToStepIsInOrder) {
  ProgramCalls program;
  for (std::uint32_t step = 0; step < 10; ++step) {
    program.calls.push_back({.word = 2, .kind = 2});
    program.calls.push_back({.word = 10 + step, .kind = 3});
  }
  const std::size_t last = program.calls.size() - 2;
  EXPECT_EQ(habitAt(program, last, &ProgramCall::kind)->same, 1u);
  EXPECT_EQ(habitAt(program, last, &ProgramCall::word)->same, 0u);
}

}  // namespace
}  // namespace traced::testing
