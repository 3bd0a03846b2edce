// Tests the writer thread with a ring of its own: what it has done when it
// reports success, and what makes it write.

#include "recorder/writer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <future>

#include "base/clock.h"
#include "support/filled_ring.h"
#include "support/record_calls.h"
#include "support/rows_of.h"
#include "support/temp_dir.h"
#include "support/trace_file.h"

namespace traced {
namespace {

using testing::decodeTrace;
using testing::rowCount;

constexpr std::chrono::seconds kLong{60};
constexpr std::chrono::milliseconds kShort{20};

// A file that a test can read, fill up and hang.
class FakeFile : public Sink {
 public:
  bool append(const std::string& chunk, std::uint64_t) override {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !hangs; });
    if (full) return false;
    content += chunk;
    return true;
  }
  std::string location() const override { return "fake"; }
  std::string read() {
    const std::lock_guard lock(mutex);
    return content;
  }
  void set(bool FakeFile::*what, bool value) {
    const std::lock_guard lock(mutex);
    this->*what = value;
    changed.notify_all();
  }
  bool hangs = false;
  bool full = false;

 private:
  std::mutex mutex;
  std::condition_variable changed;
  std::string content;
};

class WriterTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kSlots = 4096;

  void SetUp() override {
    memory_.reset(static_cast<char*>(
        std::aligned_alloc(kSlotBytes, Ring::bytesFor(kSlots))));
    std::memset(memory_.get(), 0, Ring::bytesFor(kSlots));
    ring_ = std::make_unique<Ring>(memory_.get(), kSlots);
  }
  void TearDown() override {
    file_->set(&FakeFile::hangs, false);
    EXPECT_TRUE(writer_->stop(kLong));
  }

  void start(const std::string& trigger = "") {
    v1::Header header;
    header.set_stream_id(7);
    auto file = std::make_unique<FakeFile>();
    file_ = file.get();
    writer_ = std::make_unique<Writer>(
        *ring_, own_time_, std::move(file), header,
        Writer::Settings{std::size_t{1} << 20, trigger}, Writer::Links{});
    // The file has the process's header by now.
    push(1);
    EXPECT_TRUE(writer_->flush(kLong));
  }

  void push(std::uint64_t releases) {
    for (std::uint64_t i = 0; i < releases; ++i) {
      ring_->push(RecordKind::kRelease, ReleaseRecord{i, nowNs()});
    }
  }

  // Defines an all-reduce of a group of two.
  void defineCall() {
    testing::define(*ring_, RecordKind::kDefineGroup, 1,
                    encodeGroup(1, testing::worldOfTwo(), 0));
    const CallDescription call(Operation::kAllReduce, 1);
    ring_->pushDefinition(RecordKind::kDefineCall, {1, kUntilRetired},
                          call.bytes(), call.byteSize());
  }

  v1::MarkRows marksInFile() {
    v1::MarkRows marks;
    for (const auto& payload : decodeTrace(file_->read())) {
      marks.MergeFrom(payload.marked());
    }
    return marks;
  }

  // Blocks until the file has `count` marks, and returns them all.
  v1::MarkRows awaitMarks(int count) {
    const auto give_up = std::chrono::steady_clock::now() + kLong;
    v1::MarkRows marks;
    do {
      marks = marksInFile();
    } while (marks.kind_size() < count &&
             std::chrono::steady_clock::now() < give_up);
    EXPECT_EQ(marks.kind_size(), count);
    return marks;
  }

  static std::uint64_t rowsIn(const std::string& chunks) {
    std::uint64_t rows = 0;
    for (const auto& payload : decodeTrace(chunks)) rows += rowCount(payload);
    return rows;
  }

  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  testing::TempDir dir_;
  std::unique_ptr<char, Free> memory_;
  std::unique_ptr<Ring> ring_;
  const OwnTime own_time_{};
  FakeFile* file_ = nullptr;
  std::unique_ptr<Writer> writer_;
};

TEST_F(WriterTest, AFlushHasEverythingInTheFile) {
  start();
  push(99);
  EXPECT_TRUE(writer_->flush(kLong));
  EXPECT_EQ(rowsIn(file_->read()), 100u);
  EXPECT_TRUE(writer_->flush(kShort)) << "nothing is new";
}

TEST_F(WriterTest, AFlushReportsRefusedRecords) {
  start();
  file_->set(&FakeFile::full, true);
  push(1);
  EXPECT_FALSE(writer_->flush(kLong));
  file_->set(&FakeFile::full, false);
  push(1);
  EXPECT_FALSE(writer_->flush(kLong)) << "one record is not in the file";
  EXPECT_EQ(rowsIn(file_->read()), 2u);
  const Writer::Recent recent = writer_->recent(kLong);
  EXPECT_TRUE(recent.up_to_date);
  EXPECT_EQ(rowsIn(recent.chunks), 3u);
}

TEST_F(WriterTest, FiguresNeedNoFile) {
  start();
  file_->set(&FakeFile::hangs, true);
  push(1);
  EXPECT_FALSE(writer_->flush(kShort));
  const std::int64_t hung_ns = writer_->figures().polled_ns;
  EXPECT_LE(hung_ns, nowNs());
  file_->set(&FakeFile::hangs, false);
  EXPECT_TRUE(writer_->flush(kLong));
  const auto give_up = std::chrono::steady_clock::now() + kLong;
  while (writer_->figures().polled_ns == hung_ns) {
    ASSERT_LT(std::chrono::steady_clock::now(), give_up);
    std::this_thread::yield();
  }
}

TEST_F(WriterTest, AFlushWaitsForARecordThatIsBeingFilled) {
  start();
  // Claims a slot like push(), and commits it later.
  const std::uint64_t hole = ring_->control().head.fetch_add(1);
  push(1);
  EXPECT_FALSE(writer_->flush(kShort));
  auto* slots =
      reinterpret_cast<RingSlot*>(memory_.get() + sizeof(RingControl));
  const RecordHead head{sizeof(ReleaseRecord), 1, RecordKind::kRelease};
  const ReleaseRecord release{5, 6};
  std::memcpy(slots[hole].bytes, &head, sizeof head);
  std::memcpy(slots[hole].bytes + sizeof head, &release, sizeof release);
  slots[hole].commit.store(hole + 1, std::memory_order_release);
  EXPECT_TRUE(writer_->flush(kLong));
  EXPECT_EQ(rowsIn(file_->read()), 3u);
}

TEST_F(WriterTest, ReadingTheWindowDoesNotWaitForAHungFile) {
  start();
  file_->set(&FakeFile::hangs, true);
  push(3);
  EXPECT_FALSE(writer_->flush(kShort));
  Writer::Recent recent = writer_->recent(kLong);
  EXPECT_TRUE(recent.up_to_date);
  EXPECT_EQ(rowsIn(recent.chunks), 4u);
  // The thread is blocked in the file now: later records are unavailable, and
  // the result reports this.
  push(1);
  recent = writer_->recent(kShort);
  EXPECT_FALSE(recent.up_to_date);
  EXPECT_EQ(rowsIn(recent.chunks), 4u);
}

TEST_F(WriterTest, ServesConcurrentRequests) {
  start();
  std::vector<std::future<bool>> flushes;
  for (int i = 0; i < 8; ++i) {
    flushes.push_back(std::async(std::launch::async, [this] {
      bool all = true;
      for (int round = 0; round < 20; ++round) {
        push(1);
        all &= writer_->flush(kLong) && writer_->recent(kLong).up_to_date;
      }
      return all;
    }));
  }
  for (auto& flush : flushes) EXPECT_TRUE(flush.get());
  EXPECT_EQ(rowsIn(file_->read()), 161u);
}

TEST_F(WriterTest, AFailureIsMarkedOnceAndWrittenAtOnce) {
  start();
  const std::string text = "Connection closed by peer";
  ring_->pushDefinition(RecordKind::kDefineText, {3, kNotCached}, text.data(),
                        text.size());
  ring_->push(RecordKind::kReturn, ReturnRecord{41, 100, 0, Outcome::kOk});
  ring_->push(RecordKind::kDone,
              DoneRecord{42, 123, 0, 3, EndSource::kFuture, Outcome::kThrew});
  ring_->push(RecordKind::kWait,
              WaitRecord{42, 100, 50, 0, 3, 0, Outcome::kThrew, false});
  const v1::MarkRows marks = awaitMarks(1);
  EXPECT_EQ(marks.kind(0), v1::MARK_KIND_FAILURE);
  EXPECT_EQ(marks.value(0), 42u);
  EXPECT_EQ(marks.text(0), 3u);
  const auto payloads = decodeTrace(file_->read());
  EXPECT_EQ(marks.mark_ns_delta(0) + payloads.back().anchor().monotonic_ns(),
            123);
  ASSERT_EQ(payloads.back().text_size(), 1);
  EXPECT_EQ(payloads.back().text(0).text(), text);
  EXPECT_EQ(rowsIn(file_->read()), 5u);
}

TEST_F(WriterTest, EachChunkHasTheTextsOfItsMarks) {
  start();
  ring_->pushDefinition(RecordKind::kDefineText, {3, kUntilRetired}, "boom", 4);
  for (int chunk = 0; chunk < 2; ++chunk) {
    ring_->push(RecordKind::kMark,
                MarkRecord{nowNs(), 0, MarkKind::kException, 3});
    EXPECT_TRUE(writer_->flush(kLong));
    const auto payloads = decodeTrace(file_->read());
    ASSERT_EQ(payloads.back().text_size(), 1) << chunk;
    EXPECT_EQ(payloads.back().text(0).id(), 3u);
    EXPECT_EQ(payloads.back().text(0).text(), "boom");
  }
}

TEST_F(WriterTest, EveryWayToFailIsMarked) {
  start();
  ring_->push(RecordKind::kReturn, ReturnRecord{1, 100, 0, Outcome::kThrew});
  awaitMarks(1);
  ring_->push(RecordKind::kWait,
              WaitRecord{2, 100, 50, 0, 0, 0, Outcome::kFalse, true});
  const v1::MarkRows marks = awaitMarks(2);
  EXPECT_EQ(marks.value(0), 1u);
  EXPECT_EQ(marks.value(1), 2u);
}

TEST_F(WriterTest, AReturnWithItsWaitIsTwoRows) {
  start();
  ring_->push(RecordKind::kReturnAndWait,
              ReturnAndWaitRecord{5, 90, 100, 50, 0, 4, Outcome::kFalse, true});
  EXPECT_EQ(awaitMarks(1).value(0), 5u);
  v1::Accounts accounts;
  std::vector<ReturnRow> returns;
  std::vector<WaitRow> waits;
  for (const v1::Payload& payload : decodeTrace(file_->read())) {
    for (ReturnRow& row : testing::rowsOf<ReturnRow>(payload)) {
      returns.push_back(row);
    }
    for (WaitRow& row : testing::rowsOf<WaitRow>(payload)) waits.push_back(row);
    accounts = payload.accounts();
  }
  ASSERT_EQ(returns.size(), 1u);
  EXPECT_EQ(returns[0].op, 5u);
  EXPECT_EQ(returns[0].return_ns, 90);
  EXPECT_EQ(returns[0].outcome, static_cast<std::uint32_t>(Outcome::kOk));
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].op, 5u);
  EXPECT_EQ(waits[0].wait_begin_ns, 100);
  EXPECT_EQ(waits[0].wait_ns, 50u);
  EXPECT_EQ(waits[0].outcome, static_cast<std::uint32_t>(Outcome::kFalse));
  EXPECT_EQ(waits[0].saw_end, 1u);
  EXPECT_EQ(waits[0].source_rank_plus_1, 4u);
  EXPECT_EQ(accounts.produced(), 4u) << "two rows, the mark, start()'s";
  EXPECT_EQ(accounts.stored(), 4u);
}

TEST_F(WriterTest, AFailureIsMarkedThoughTheRingIsFull) {
  start();
  file_->set(&FakeFile::hangs, true);
  push(1);
  EXPECT_FALSE(writer_->flush(kShort));  // the thread is blocked in the file
  push(kSlots - 2);
  ring_->push(RecordKind::kReturn, ReturnRecord{9, 1, 0, Outcome::kThrew});
  EXPECT_EQ(ring_->used(), ring_->capacity());
  file_->set(&FakeFile::hangs, false);
  EXPECT_EQ(awaitMarks(1).value(0), 9u);
  EXPECT_TRUE(ring_->drops().empty());
}

TEST_F(WriterTest, MarksAndPrintsAnOperationThatTakesTooLong) {
  start();
  defineCall();
  ::testing::internal::CaptureStderr();
  writer_->watch(1);
  const OpId op =
      ring_->push(RecordKind::kIssue, IssueRecord{nowNs(), 5, 0, 1, 0, 1});
  const v1::MarkRows marks = awaitMarks(1);
  const std::string stderr_text = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(marks.kind(0), v1::MARK_KIND_UNFINISHED);
  EXPECT_EQ(marks.value(0), op);
  EXPECT_NE(stderr_text.find("all_reduce #5 on group \"default_pg\""),
            std::string::npos)
      << stderr_text;
}

TEST_F(WriterTest, MarksALateOperationWhenItEnds) {
  constexpr std::int64_t kLimitNs = 20'000'000'000;
  start();
  defineCall();
  ::testing::internal::CaptureStderr();
  writer_->watch(kLimitNs);
  // The next poll is a second later.
  push(1);
  EXPECT_TRUE(writer_->flush(kLong));
  const OpId op = ring_->push(
      RecordKind::kIssue, IssueRecord{nowNs() - 2 * kLimitNs, 5, 0, 1, 0, 1});
  ring_->push(RecordKind::kDone, DoneRecord{op, nowNs()});
  EXPECT_TRUE(writer_->stop(kLong));
  ::testing::internal::GetCapturedStderr();
  const v1::MarkRows marks = marksInFile();
  ASSERT_GT(marks.kind_size(), 0);
  EXPECT_EQ(*marks.kind().rbegin(), v1::MARK_KIND_LATE);
  EXPECT_EQ(*marks.value().rbegin(), op);
}

TEST_F(WriterTest, TouchingTheTriggerIsMarkedEachTime) {
  const std::string trigger = dir_.path() + "/flush";
  std::ofstream(trigger) << "left from an earlier run";
  start(trigger);
  std::ofstream(trigger) << "1";
  awaitMarks(1);
  std::ofstream(trigger) << "2";
  const v1::MarkRows marks = awaitMarks(2);
  EXPECT_EQ(marks.kind(0), v1::MARK_KIND_FLUSH);
  EXPECT_EQ(marks.kind(1), v1::MARK_KIND_FLUSH);
}

}  // namespace
}  // namespace traced
