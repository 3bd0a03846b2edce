// Tests sends and receives that do not pair.

#include <gtest/gtest.h>

#include <array>

#include "analysis/diagnosis/messages/pairing.h"
#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

TEST(FirstDifferenceTest, ADifferenceThatStartsInAHoleIsFoundAfterIt) {
  constexpr std::uint32_t kOld = 1;
  constexpr std::uint32_t kNew = 2;
  MessagePair pair;
  for (const std::uint64_t seq : {1, 2, 3, 4, 5, 6}) {
    pair.sends.add(seq, seq < 3 ? kOld : kNew, Reached::kEnded, false);
  }
  for (const std::uint64_t seq : {1, 2, 5, 6}) {
    pair.receives.add(seq, kOld, Reached::kEnded, false);
  }
  const auto difference = firstDifference(pair);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->seq, 5u);
  EXPECT_EQ(difference->sent, kNew);
}

TEST(MessagesTest, APipelinePairs) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    for (int i = 0; i < 6; ++i) {
      if (r > 0)
        rank.end(rank.addMessage(false, 1, r - 1, 64 << i).id(), 9 * i);
      if (r < 3) rank.end(rank.addMessage(true, 1, r + 1, 64 << i).id(), 9 * i);
    }
  }
  expectHealthy(diagnoseJob(job));
}

TEST(MessagesTest, ASendWithoutAReceive) {
  JobBuilder job(4);
  job.rank(1).end(job.rank(1).addMessage(true, 1, 2).id(), 0);
  expectVerdict(diagnoseJob(job), VerdictKind::kP2pUnpaired, {1, 2});
}

// Rank 1 sends to rank 2, which left out its messages within its node.
TEST(MessagesTest, AMessageThatWasLeftOutIsNotJudged) {
  for (const bool is_same_node : {true, false}) {
    JobBuilder job(4);
    job.rank(1).end(job.rank(1).addMessage(true, 1, 2).id(), 0);
    for (std::uint32_t r = 0; r < 4; ++r) {
      v1::Header& header = job.rank(r).stream().header();
      header.set_node(r == 1 && !is_same_node ? "another" : "node");
    }
    job.rank(2).stream().payload().mutable_group(0)->set_leaves_out_messages(
        true);
    if (is_same_node) {
      expectHealthy(diagnoseJob(job));
    } else {
      expectVerdict(diagnoseJob(job), VerdictKind::kP2pUnpaired, {1, 2});
    }
  }
}

TEST(MessagesTest, AReceiveWithoutASend) {
  JobBuilder job(4);
  RankBuilder& rank = job.rank(3);
  rank.fail(rank.addMessage(false, 1, 0).id(), 0, 5000, "Timed out");
  expectVerdict(diagnoseJob(job), VerdictKind::kP2pUnpaired, {0, 3});
}

// The message that rank 1 sends is queued on its device behind the one that
// rank 0 did not send. Rank 0 therefore times out as well.
TEST(MessagesTest, ATimeoutBehindAMissingMessageIsNoSeparateCause) {
  constexpr char kTimedOut[] = "the engine's watchdog found it timed out";
  JobBuilder job(2);
  job.all([](RankBuilder& rank) {
    rank.stream().payload().mutable_group(0)->set_backend("nccl");
  });
  RankBuilder& silent = job.rank(0);
  RankBuilder& waiting = job.rank(1);
  waiting.fail(waiting.addMessage(false, 1, 0).id(), 0, 60'000, kTimedOut);
  waiting.hang(waiting.addMessage(true, 1, 0).id(), 3);
  silent.fail(silent.addMessage(false, 1, 1).id(), 9, 60'100, kTimedOut);
  job.all([](RankBuilder& rank) { rank.live(61'000); });
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kRecovered);
  expectVerdict(diagnosis, VerdictKind::kNeverJoined, {0});
  EXPECT_EQ(diagnosis.verdicts[0].pair, std::pair(0U, 1U));
}

// The silent rank may wait for the rank whose file is missing.
TEST(MessagesTest, WithAFileMissingAMissingMessageIsUndecided) {
  JobBuilder job(4);
  RankBuilder& rank = job.rank(3);
  rank.fail(rank.addMessage(false, 1, 0).id(), 0, 5000, "Timed out");
  expectVerdict(diagnoseJob(job, Ending::kClosed, {2}), VerdictKind::kUndecided,
                {});
}

// Rank 0 sends two messages with these tags, and rank 1 receives the second one
// first. `bytes`: the second one's size on each rank.
Diagnosis crosswise(const std::array<std::int32_t, 2>& tags,
                    const std::array<std::uint64_t, 2>& bytes,
                    const char* backend = "gloo") {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    RankBuilder& rank = job.rank(r);
    rank.stream().payload().mutable_group(0)->set_backend(backend);
    const std::uint32_t one =
        rank.addMessage(r == 0, 1, 1 - r, 64, tags[0]).id();
    const std::uint32_t two =
        rank.addMessage(r == 0, 1, 1 - r, bytes[r], tags[1]).id();
    rank.end(r == 0 ? one : two, 0);
    rank.end(r == 0 ? two : one, 10);
  }
  return diagnoseJob(job);
}

TEST(MessagesTest, TwoThatSendInOneOrderAndReceiveInTheOther) {
  expectVerdict(crosswise({0, 0}, {128, 128}), VerdictKind::kOrderMismatch,
                {0, 1});
}

// Two kinds of message alternate, and one is received once more than it was
// sent. Up to where both sides are recorded this resembles an opposite order.
TEST(MessagesTest, AReceiveTooManyIsNoOppositeOrder) {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t small = rank.addMessage(r == 0, 1, 1 - r, 64).id();
    const std::uint32_t large = rank.addMessage(r == 0, 1, 1 - r, 128).id();
    std::vector<std::uint32_t> calls = {small, large, small, large};
    if (r == 1) calls.insert(calls.begin() + 2, large);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      rank.end(calls[i], static_cast<std::int64_t>(10 * i));
    }
  }
  expectVerdict(diagnoseJob(job), VerdictKind::kSizeMismatch, {0, 1});
}

TEST(MessagesTest, TagsPairInAnyOrder) {
  expectHealthy(crosswise({1, 2}, {128, 128}));
}

// Messages of one tag are sent before those of the other, and received after
// them.
TEST(MessagesTest, TagsPairHoweverManyMessagesAreBetweenThem) {
  for (const int count : {5, 5000}) {
    SCOPED_TRACE(count);
    JobBuilder job(2);
    for (std::uint32_t r = 0; r < 2; ++r) {
      RankBuilder& rank = job.rank(r);
      const std::uint32_t one = rank.addMessage(r == 0, 1, 1 - r, 64, 1).id();
      const std::uint32_t two = rank.addMessage(r == 0, 1, 1 - r, 128, 2).id();
      for (int i = 0; i < 2 * count; ++i) {
        rank.end((i < count) == (r == 0) ? one : two, 10 * i);
      }
    }
    expectHealthy(diagnoseJob(job));
  }
}

// The second one is received first, with another size.
TEST(MessagesTest, ADifferenceWithinATagIsReportedWithItsTag) {
  const Diagnosis diagnosis = crosswise({1, 2}, {64, 128});
  expectVerdict(diagnosis, VerdictKind::kSizeMismatch, {0, 1});
  EXPECT_EQ(diagnosis.verdicts[0].seq, 2U) << textOf(diagnosis);
}

// The receiver takes the messages of the second tag and leaves the others.
TEST(MessagesTest, AReceivedMessageMayBeSentAfterAnUnreceivedOne) {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t one = rank.addMessage(r == 0, 1, 1 - r, 64, 1).id();
    const std::uint32_t two = rank.addMessage(r == 0, 1, 1 - r, 128, 2).id();
    for (int i = 0; i < 3 && r == 0; ++i) rank.end(one, 10 * i);
    for (int i = 3; i < 6; ++i) rank.end(two, 10 * i);
  }
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kP2pUnpaired, {0, 1});
  EXPECT_EQ(diagnosis.verdicts[0].seq, 1U) << textOf(diagnosis);
}

// NCCL has no tags. Whether tags matter is unknown for an unknown engine.
TEST(MessagesTest, TagsThatDifferAreOnlyWrongWhereTheEngineMatchesThem) {
  for (const char* backend : {"gloo", "nccl", "mpi"}) {
    SCOPED_TRACE(backend);
    JobBuilder job(2);
    for (std::uint32_t r = 0; r < 2; ++r) {
      RankBuilder& rank = job.rank(r);
      rank.stream().payload().mutable_group(0)->set_backend(backend);
      const std::int32_t tag = static_cast<std::int32_t>(r);
      rank.end(rank.addMessage(r == 0, 1, 1 - r, 64, tag).id(), 0);
    }
    const Diagnosis diagnosis = diagnoseJob(job);
    if (backend == std::string("gloo")) {
      expectVerdict(diagnosis, VerdictKind::kP2pUnpaired, {0, 1});
    } else {
      expectHealthy(diagnosis);
    }
  }
}

TEST(MessagesTest, AnEngineWithoutTagsPairsMessagesInOrder) {
  expectVerdict(crosswise({1, 2}, {128, 128}, "nccl"),
                VerdictKind::kOrderMismatch, {0, 1});
}

// NCCL may run a batch concurrently with messages outside of it.
TEST(MessagesTest, BatchesAndOtherMessagesNeedNotBeInOneOrder) {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    RankBuilder& rank = job.rank(r);
    rank.stream().payload().mutable_group(0)->set_backend("nccl");
    const std::uint32_t in_batch = rank.addMessage(r == 0, 1, 1 - r, 64).id();
    const std::uint32_t alone = rank.addMessage(r == 0, 1, 1 - r, 128).id();
    for (std::uint64_t i = 1; i <= 2; ++i) {
      const bool is_batch = (i == 1) == (r == 0);
      rank.stream().add(IssueRow{.op = i,
                                 .issue_ns = RankBuilder::ns(i),
                                 .call = is_batch ? in_batch : alone,
                                 .seq = i,
                                 .batch = is_batch ? 7U : 0U});
    }
  }
  expectConfidence(diagnoseJob(job), Confidence::kLikely,
                   Confidence::kUndecided);
}

TEST(MessagesTest, MessagesOfDifferentSizes) {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    RankBuilder& rank = job.rank(r);
    rank.end(rank.addMessage(r == 0, 1, 1 - r, 64 + r).id(), 0);
  }
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kSizeMismatch, {0, 1});
  expectConfidence(diagnosis, Confidence::kCertain, Confidence::kUndecided);
}

// Two tags in the opposite order pair as soon as both are called.
TEST(MessagesTest, TagsThatMightHavePairedLaterAreNotReported) {
  for (const Ending ending :
       {Ending::kClosed, Ending::kRecovered, Ending::kCut}) {
    JobBuilder job(2);
    for (std::uint32_t r = 0; r < 2; ++r) {
      RankBuilder& rank = job.rank(r);
      const auto tag = static_cast<std::int32_t>(r);
      rank.end(rank.addMessage(r == 0, 1, 1 - r, 64, tag).id(), 0);
    }
    const Diagnosis diagnosis = diagnoseJob(job, ending);
    if (ending == Ending::kClosed) {
      expectVerdict(diagnosis, VerdictKind::kP2pUnpaired, {0, 1});
      expectConfidence(diagnosis, Confidence::kCertain, Confidence::kUndecided);
    } else {
      expectHealthy(diagnosis);
    }
  }
}

TEST(MessagesTest, DifferentTagsAtAHangAreLikelyWrong) {
  for (const Ending ending : {Ending::kRecovered, Ending::kCut}) {
    JobBuilder job(2);
    RankBuilder& sender = job.rank(0);
    sender.end(sender.addMessage(true, 1, 1, 64, 0).id(), 0);
    RankBuilder& receiver = job.rank(1);
    receiver.hang(receiver.addMessage(false, 1, 0, 64, 1).id(), 0);
    receiver.live(60'000);
    const Diagnosis diagnosis = diagnoseJob(job, ending);
    expectVerdict(diagnosis, VerdictKind::kP2pUnpaired, {0, 1});
    expectConfidence(diagnosis, Confidence::kLikely, Confidence::kUndecided);
  }
}

// Two crossed tags have paired. The message after them hangs.
TEST(MessagesTest, FindsAHangAfterPairedTags) {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t one = rank.addMessage(r == 0, 1, 1 - r, 64, 1).id();
    const std::uint32_t two = rank.addMessage(r == 0, 1, 1 - r, 64, 2).id();
    rank.end(r == 0 ? one : two, 0);
    rank.end(r == 0 ? two : one, 10);
    const std::uint32_t last =
        rank.addMessage(r == 0, 1, 1 - r, 64, 3 + r).id();
    if (r == 0) rank.end(last, 20);
    if (r == 1) rank.hang(last, 20);
  }
  job.rank(1).live(60'000);
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kRecovered);
  expectVerdict(diagnosis, VerdictKind::kP2pUnpaired, {0, 1});
}

TEST(MessagesTest, TwoThatReceiveFromEachOther) {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    RankBuilder& rank = job.rank(r);
    rank.hang(rank.addMessage(false, 1, 1 - r).id(), 0);
    rank.live(60'000);
  }
  expectVerdict(diagnoseJob(job, Ending::kCut), VerdictKind::kDeadlock, {0, 1});
}

// A third rank waits for one of them, as in every step.
TEST(MessagesTest, TwoThatSendToEachOther) {
  JobBuilder job(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    RankBuilder& rank = job.rank(r);
    const bool sends = r < 2;
    rank.hang(rank.addMessage(sends, 1, r == 0 ? 1 : r - 1).id(), 100);
    rank.live(60'000);
  }
  expectVerdict(diagnoseJob(job, Ending::kCut), VerdictKind::kDeadlock, {0, 1});
}

// Rank 0 always sent to rank 1. Now it sends to rank 2, which has finished its
// work.
TEST(MessagesTest, AFirstMessageToTheDeadWhileAnotherWaitsHasTheWrongPeer) {
  JobBuilder job(3);
  RankBuilder& sender = job.rank(0);
  RankBuilder& receiver = job.rank(1);
  const std::uint32_t right = sender.addMessage(true, 1, 1).id();
  const std::uint32_t wrong = sender.addMessage(true, 1, 2).id();
  const std::uint32_t receive = receiver.addMessage(false, 1, 0).id();
  for (int i = 0; i < 3; ++i) {
    sender.end(right, 10 * i);
    receiver.end(receive, 10 * i);
  }
  sender.hang(wrong, 100);
  receiver.hang(receive, 100);
  job.all([](RankBuilder& rank) { rank.live(60'000); });
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kRecovered);
  ASSERT_FALSE(diagnosis.verdicts.empty());
  EXPECT_EQ(diagnosis.verdicts[0].kind, VerdictKind::kP2pUnpaired);
  expectConfidence(diagnosis, Confidence::kLikely, Confidence::kLikely);
  EXPECT_EQ(diagnosis.culprits, Ranks{0}) << textOf(diagnosis);
}

TEST(MessagesTest, AReceiveFromAnySourceTakesWhatWasSent) {
  JobBuilder job(2);
  job.rank(0).end(job.rank(0).addMessage(true, 1, 1).id(), 0);
  RankBuilder& rank = job.rank(1);
  v1::Call& call = rank.addMessage(false, 1, 0);
  call.clear_peer_plus_1();
  call.clear_peer_global_plus_1();
  rank.stream().add(
      IssueRow{.op = 900, .issue_ns = RankBuilder::ns(0), .call = call.id()});
  rank.stream().add(WaitRow{.op = 900,
                            .wait_begin_ns = RankBuilder::ns(1),
                            .wait_ns = 1000,
                            .saw_end = 1,
                            .source_rank_plus_1 = 1});
  expectHealthy(diagnoseJob(job));
}

TEST(MessagesTest, DoesNotGuessTheCallsOfTheMissingSide) {
  JobBuilder job(3);
  RankBuilder& rank = job.rank(0);
  rank.fail(rank.addMessage(false, 1, 1).id(), 0, 5000, "Timed out");
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kClosed, {1});
  ASSERT_EQ(diagnosis.verdicts.size(), 1U) << textOf(diagnosis);
  EXPECT_EQ(diagnosis.verdicts[0].kind, VerdictKind::kUndecided);
}

}  // namespace
}  // namespace traced::testing
