// Tests the accounts of records that a file refused or no longer has.

#include <gmock/gmock.h>
#include <sys/resource.h>

#include "recover_fixture.h"

namespace traced::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

void allowNoMoreBytes() {
  signal(SIGXFSZ, SIG_IGN);
  const rlimit full{1, 1};
  setrlimit(RLIMIT_FSIZE, &full);
}

TEST_F(RecoverTest, RecoversRecordsThatTheFileRefused) {
  inKilledProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(worldOfTwo());
    completeCall(recorder, *group, 1);
    recorder.flush(kFlushLimit);
    allowNoMoreBytes();
    completeCall(recorder, *group, 2);
    recorder.flush(kFlushLimit);  // refused, and its slots are free again
    completeCall(recorder, *group, 3);
  });
  EXPECT_EQ(recover().at(0).records, 10u);
  const RecoveredTrace trace = readRecovered(traces());
  EXPECT_THAT(trace.seqs.at(0), ElementsAre(1, 2, 3));
  EXPECT_EQ(trace.accounts().produced(), 15u);
  EXPECT_EQ(trace.accounts().drop_size(), 0);
}

TEST_F(RecoverTest, RecoversRecordsThatAProcessCouldNotWriteAtItsEnd) {
  inKilledProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(worldOfTwo());
    completeCall(recorder, *group, 1);
    recorder.flush(kFlushLimit);
    allowNoMoreBytes();
    completeCall(recorder, *group, 2);
    Recorder::stopCurrent(kFlushLimit);
  });
  ASSERT_EQ(segments().size(), 1u) << "the ring stays";
  EXPECT_EQ(recover().at(0).records, 5u);
  const RecoveredTrace trace = readRecovered(traces());
  EXPECT_THAT(trace.seqs.at(0), ElementsAre(1, 2));
  EXPECT_EQ(trace.accounts().produced(), 10u);
  EXPECT_EQ(trace.accounts().drop_size(), 0);
  EXPECT_TRUE(trace.accounts().recovered());
  EXPECT_TRUE(trace.accounts().closed()) << "it ended in order";
}

TEST_F(RecoverTest, AKilledProcessDidNotEndNormally) {
  killOne();
  recover();
  const RecoveredTrace trace = readRecovered(traces());
  EXPECT_TRUE(trace.accounts().recovered());
  EXPECT_FALSE(trace.accounts().closed());
}

TEST_F(RecoverTest, CountsRefusedRecordsThatLeftTheRing) {
  constexpr std::uint64_t kOperations = 3000;
  options_.ring_slots = 4096;
  inKilledProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(worldOfTwo());
    recorder.flush(kFlushLimit);
    allowNoMoreBytes();
    for (std::uint64_t i = 1; i <= kOperations; ++i) {
      completeCall(recorder, *group, i);
      if (i % 500 == 0) recorder.flush(kFlushLimit);
    }
  });
  const std::uint64_t records = recover().at(0).records;
  EXPECT_GT(records, 4000u);
  v1::Accounts accounts;
  std::uint64_t rows = 0;
  for (const v1::Payload& payload : decodeTrace(readFile(traceFile()))) {
    rows += rowCount(payload);
    accounts = payload.accounts();
  }
  EXPECT_EQ(rows, records);
  EXPECT_EQ(accounts.stored(), rows);
  EXPECT_EQ(accounts.produced(), 5 * kOperations);
  ASSERT_EQ(accounts.drop_size(), 1);
  EXPECT_EQ(accounts.drop(0).reason(), v1::DROP_REASON_WRITE_FAILED);
  EXPECT_EQ(accounts.drop(0).records(), 5 * kOperations - rows);
}

TEST_F(RecoverTest, ContinuesTheRotationAndItsAccounts) {
  options_.max_bytes = 40'000;
  constexpr std::uint64_t kOperations = 5000;
  inKilledProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(worldOfTwo());
    for (std::uint64_t i = 1; i <= kOperations; ++i) {
      completeCall(recorder, *group, i);
      if (i % 200 == 0 && i < kOperations) recorder.flush(kFlushLimit);
    }
  });
  EXPECT_EQ(recover().at(0).outcome, RecoverOutcome::kRecovered);
  const RecoveredTrace trace = readRecovered(traces());
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(traces())) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  EXPECT_LE(bytes, options_.max_bytes);
  EXPECT_EQ(trace.accounts().stored(), trace.rows);
  EXPECT_EQ(trace.accounts().produced(), 5 * kOperations);
  ASSERT_EQ(trace.accounts().drop_size(), 1);
  EXPECT_EQ(trace.accounts().drop(0).reason(), v1::DROP_REASON_RETENTION);
}

}  // namespace
}  // namespace traced::testing
