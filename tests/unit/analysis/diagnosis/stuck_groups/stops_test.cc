// Tests operations on a device that other ranks never join, that an abort cuts
// off, or that their engine gives up.

#include <gtest/gtest.h>

#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

constexpr std::int64_t kSilentUntil = 60'000;
constexpr std::uint32_t kHook = v1::END_SOURCE_COMPLETION_HOOK;

// A rank of a job on NCCL.
class Rank {
 public:
  explicit Rank(RankBuilder& rank) : rank_(rank) {
    setEngine("nccl2");
    call_ = rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
    call().set_async(true);
  }
  void setEngine(const char* name) {
    rank_.stream().payload().mutable_group(0)->set_backend(name);
  }
  v1::Call& call() {
    return *rank_.stream().payload().mutable_call(static_cast<int>(call_) - 1);
  }
  // Issues the next operation. `reported`: its end is reported.
  void issue(std::int64_t at_ms, bool reported = false) {
    const std::uint64_t id = rank_.hang(call_, at_ms);
    rank_.stream().add(
        ReturnRow{.op = id, .return_ns = RankBuilder::ns(at_ms) + 1000});
    if (!reported) return;
    rank_.stream().add(DoneRow{
        .op = id, .end_ns = RankBuilder::ns(at_ms + 5), .source = kHook});
  }
  void mark(v1::MarkKind kind, std::int64_t at_ms, const std::string& text) {
    rank_.stream().add(MarkRow{
        1'000'000, RankBuilder::ns(at_ms), static_cast<std::uint32_t>(kind), 1,
        text.empty() ? 0 : rank_.stream().addText(text)});
  }
  void abort(std::int64_t at_ms) { mark(v1::MARK_KIND_ABORT, at_ms, ""); }
  void giveUp(std::int64_t at_ms, const std::string& why) {
    mark(v1::MARK_KIND_ENGINE_FAILED, at_ms, why);
  }

 private:
  RankBuilder& rank_;
  std::uint32_t call_;
};

// Rank 0 runs `first`, then rank 1 runs `second`, then both are silent for a
// minute.
template <typename First, typename Second>
Diagnosis diagnosed(First first, Second second,
                    Ending ending = Ending::kRecovered) {
  JobBuilder job(2);
  Rank zero(job.rank(0));
  Rank one(job.rank(1));
  first(zero);
  second(one);
  for (const std::uint32_t rank : {0U, 1U}) {
    job.rank(rank).idleUntil(kSilentUntil);
  }
  return diagnoseJob(job, ending);
}

void nothing(Rank&) {}
void one(Rank& rank) { rank.issue(0); }

std::string summaryOf(const Diagnosis& found) { return summaryAt(found, 0); }

TEST(StopsTest, TheFirstOperationThatTheOthersNeverJoinHangs) {
  for (const bool async : {true, false}) {
    const Diagnosis found = diagnosed(
        [&](Rank& rank) {
          rank.call().set_async(async);
          rank.issue(0);
        },
        nothing);
    expectVerdict(found, VerdictKind::kNeverJoined, {1});
    expectConfidence(found, Confidence::kCertain, Confidence::kLikely);
    EXPECT_NE(summaryOf(found).find("rank 0 waits for it, for 60.0 s"),
              std::string::npos)
        << textOf(found);
  }
}

TEST(StopsTest, ARankAheadHasWaitedSinceItsLastCall) {
  const Diagnosis found = diagnosed(
      [](Rank& rank) {
        for (const std::int64_t at_ms : {0, 10, 20'000}) rank.issue(at_ms);
      },
      one);
  expectVerdict(found, VerdictKind::kNeverJoined, {1});
  EXPECT_EQ(found.verdicts[0].seq, 2U);
  EXPECT_NE(summaryOf(found).find("for at least 40.0 s"), std::string::npos)
      << textOf(found);
  EXPECT_NE(textOf(found).find("Rank 1 is in no operation that would show; its "
                               "last was all_reduce #1"),
            std::string::npos)
      << textOf(found);
}

TEST(StopsTest, AnOperationThatNeedNotWaitIsNoHang) {
  expectHealthy(diagnosed(
      [](Rank& rank) {
        rank.call().set_op(v1::OPERATION_BROADCAST);
        rank.issue(0);
      },
      nothing));
  expectHealthy(diagnosed(
      [](Rank& rank) {
        rank.call().set_graph_plus_1(1);
        rank.issue(0);
      },
      nothing));
}

TEST(StopsTest, AnEngineThatIsNotKnownMayEndItWithoutTheOthers) {
  expectHealthy(diagnosed(
      [](Rank& rank) {
        rank.setEngine("another");
        rank.issue(0);
      },
      [](Rank& rank) { rank.setEngine("another"); }));
}

TEST(StopsTest, ReportsAnEngineThatGaveUpWithoutAnotherCause) {
  const auto fails = [](Rank& rank) {
    rank.call().set_async(false);
    rank.issue(0);
    rank.issue(10);
    rank.giveUp(1010, "its communicator failed");
  };
  const Diagnosis found = diagnosed(fails, fails);
  expectVerdict(found, VerdictKind::kFailed, {});
  expectConfidence(found, Confidence::kCertain, Confidence::kUndecided);
  EXPECT_EQ(summaryOf(found),
            "The engine of \"dp\" gave up on ranks 0-1: its "
            "communicator failed.");
  EXPECT_NE(textOf(found).find("The last call of rank 0 in it was all_reduce "
                               "#2 on \"dp\", issued 1.00 s before"),
            std::string::npos)
      << textOf(found);
}

TEST(StopsTest, TheAbsentRankIsNamedAsSoonAsAnEngineGaveUp) {
  const Diagnosis found = diagnosed(
      [](Rank& rank) {
        rank.issue(0);
        rank.issue(10);
        rank.giveUp(510, "an operation timed out");
      },
      one);
  expectVerdict(found, VerdictKind::kNeverJoined, {1});
  EXPECT_NE(textOf(found).find("The engine of rank 0 gave up, 0.50 s after it "
                               "had issued it: an operation timed out."),
            std::string::npos)
      << textOf(found);
}

TEST(StopsTest, AnAbortOfAnUnjoinedOperationBlamesNobody) {
  for (const Ending ending : {Ending::kClosed, Ending::kRecovered}) {
    const Diagnosis found = diagnosed(
        [](Rank& rank) {
          rank.issue(0);
          rank.issue(10);
          rank.abort(300);
        },
        one, ending);
    expectVerdict(found, VerdictKind::kAborted, {});
    expectConfidence(found, Confidence::kCertain, Confidence::kUndecided);
    EXPECT_EQ(found.verdicts[0].seq, 2U);
  }
}

TEST(StopsTest, ARankThatMayHaveJoinedAnAbortedOperationIsNotMissing) {
  JobBuilder job(3);
  Rank zero(job.rank(0));
  Rank one(job.rank(1));
  Rank two(job.rank(2));
  for (Rank* rank : {&zero, &one, &two}) rank->issue(0);
  zero.issue(10);
  zero.abort(300);
  for (const std::uint32_t rank : {0U, 1U, 2U}) {
    job.rank(rank).idleUntil(kSilentUntil);
  }
  job.rank(2).stream().drop(v1::DROP_REASON_RING_FULL, 5);
  const Diagnosis found = diagnoseJob(job, Ending::kClosed);
  expectVerdict(found, VerdictKind::kAborted, {});
  EXPECT_NE(summaryOf(found).find("; rank 1 had not joined it."),
            std::string::npos)
      << textOf(found);
  EXPECT_NE(textOf(found).find("The trace of rank 2 lost 5 records"),
            std::string::npos)
      << textOf(found);
}

TEST(StopsTest, ALongHangLastedUntilItsAbort) {
  const Diagnosis found = diagnosed(
      [](Rank& rank) {
        rank.issue(0);
        rank.abort(20'000);
      },
      nothing);
  expectVerdict(found, VerdictKind::kNeverJoined, {1});
  EXPECT_NE(summaryOf(found).find("for 20.0 s"), std::string::npos)
      << textOf(found);
}

TEST(StopsTest, AnAbortSoonAfterACallThatAllMadeIsNoFinding) {
  for (const Ending ending : {Ending::kClosed, Ending::kRecovered}) {
    for (const std::int64_t after_ms : {50, 2000}) {
      const auto aborts = [&](Rank& rank) {
        for (const std::int64_t at_ms : {0, 10, 20}) rank.issue(at_ms, true);
        rank.issue(30);
        rank.abort(30 + after_ms);
      };
      const Diagnosis found = diagnosed(aborts, aborts, ending);
      if (after_ms < 1000) {  // the watchdog may not have reported yet
        expectHealthy(found);
      } else {
        expectVerdict(found, VerdictKind::kAborted, {});
        expectConfidence(found, Confidence::kLikely, Confidence::kUndecided);
      }
    }
  }
}

TEST(StopsTest, AnAbortOfAGroupAtRestIsNoFinding) {
  const auto aborts = [](Rank& rank) {
    rank.issue(0, true);
    rank.abort(3000);
  };
  expectHealthy(diagnosed(aborts, aborts));
}

}  // namespace
}  // namespace traced::testing
