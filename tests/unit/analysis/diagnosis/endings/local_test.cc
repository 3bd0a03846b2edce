// Tests verdicts that one rank's trace proves on its own.

#include <gtest/gtest.h>

#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

v1::Buffers& addBuffers(RankBuilder& rank, std::uint32_t id,
                        std::uint64_t offset) {
  v1::Buffers& buffers = *rank.stream().payload().add_buffers();
  buffers.set_id(id);
  v1::BufferRange& range = *buffers.add_range();
  range.set_storage(0x1000);
  range.set_offset_bytes(offset);
  range.set_span_bytes(64);
  return buffers;
}

// Two asynchronous all_reduces on memory of one storage. `waits`: the program
// waits for them, otherwise only for their futures.
Diagnosis runTwo(std::uint64_t second_offset, std::int64_t first_took_ms,
                 bool waits = true) {
  JobBuilder job(2);
  job.all([&](RankBuilder& rank) {
    v1::Call& call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1);
    call.set_async(true);
    call.set_in_place(true);
    call.set_tensors_in(1);
    addBuffers(rank, 1, 0);
    addBuffers(rank, 2, second_offset);
    std::uint64_t seq = 0;
    for (const std::int64_t at_ms : {0, 10}) {
      ++seq;
      rank.stream().add(IssueRow{.op = seq,
                                 .issue_ns = RankBuilder::ns(at_ms),
                                 .call = call.id(),
                                 .buffers = static_cast<std::uint32_t>(seq),
                                 .seq = seq});
      rank.stream().add(
          ReturnRow{.op = seq, .return_ns = RankBuilder::ns(at_ms)});
      rank.stream().add(
          DoneRow{.op = seq,
                  .end_ns = RankBuilder::ns(at_ms + first_took_ms),
                  .source = v1::END_SOURCE_FUTURE});
      if (!waits) continue;
      rank.stream().add(WaitRow{.op = seq,
                                .wait_begin_ns = RankBuilder::ns(at_ms),
                                .wait_ns = static_cast<std::uint64_t>(
                                    first_took_ms * RankBuilder::kMs),
                                .saw_end = 1});
    }
  });
  return diagnoseJob(job);
}

TEST(LocalTest, TwoOperationsOnOneBuffer) {
  const Diagnosis diagnosis = runTwo(32, 15);
  EXPECT_EQ(diagnosis.verdicts.size(), 2U) << textOf(diagnosis);
  for (const JobVerdict& verdict : diagnosis.verdicts) {
    EXPECT_EQ(verdict.kind, VerdictKind::kBufferOverlap);
    EXPECT_EQ(verdict.finding, Confidence::kLikely);
    EXPECT_EQ(verdict.culprit, Confidence::kCertain);
  }
}

TEST(LocalTest, PartsOfOneStorageAreNoOverlap) {
  expectHealthy(runTwo(64, 15));
}

TEST(LocalTest, OneAfterTheOtherIsNoOverlap) { expectHealthy(runTwo(0, 8)); }

// A future wakes its waiters (such as DDP) before it runs the callback that
// records the end. On a busy machine the next call may already be made.
TEST(LocalTest, AnEndThatAFutureReportedIsALateBound) {
  expectHealthy(runTwo(32, 15, false));
}

TEST(LocalTest, AReceiveThatIsNeverWaitedFor) {
  JobBuilder job(2);
  job.rank(0).end(job.rank(0).addMessage(true, 1, 1).id(), 0);
  RankBuilder& rank = job.rank(1);
  const std::uint64_t id = rank.hang(rank.addMessage(false, 1, 0).id(), 0);
  rank.stream().add(ReleaseRow{.op = id, .release_ns = RankBuilder::ns(1)});
  // Works dropped at the program's end are no neglect. This program continues.
  job.all([](RankBuilder& each) {
    each.end(each.addCall(v1::OPERATION_BARRIER, 1, 0).id(), 10);
  });
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kNeverWaited, {1});
  expectConfidence(diagnosis, Confidence::kCertain, Confidence::kCertain);
}

}  // namespace
}  // namespace traced::testing
