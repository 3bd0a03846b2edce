// Tests that threads continue when they record more than the writer can store.
// Every record is stored or counted, for the right thread.

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "recorder/writer.h"
#include "support/rows_of.h"
#include "support/trace_file.h"

namespace traced {
namespace {

constexpr int kIssuers = 8;
constexpr std::uint64_t kSlots = 1024;
constexpr std::chrono::seconds kDeadline{60};

// A disk that hangs until it is released. It keeps everything that it stored.
class Disk {
 public:
  bool append(const std::string& chunk, std::uint64_t records) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !is_hanging_; });
    if (full_ && records > 0) return false;
    bytes_ += chunk;
    return true;
  }
  void hang() { set(is_hanging_, true); }
  void release() { set(is_hanging_, false); }
  void beFull(bool full) { set(full_, full); }
  const std::string& bytes() const { return bytes_; }

 private:
  void set(bool& what, bool value) {
    std::lock_guard lock(mutex_);
    what = value;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_hanging_ = false;
  bool full_ = false;
  std::string bytes_;
};

class DiskSink : public Sink {
 public:
  explicit DiskSink(Disk& disk) : disk_(disk) {}
  bool append(const std::string& chunk, std::uint64_t records) override {
    return disk_.append(chunk, records);
  }
  std::uint64_t recordsDeleted() const override { return 0; }
  std::string location() const override { return "the disk"; }

 private:
  Disk& disk_;
};

class OverflowTest : public ::testing::Test {
 protected:
  OverflowTest()
      : memory_(Ring::bytesFor(kSlots) / sizeof(RingSlot)),
        ring_(memory_.data(), kSlots) {
    v1::Header header;
    header.set_stream_id(7);
    writer_ = std::make_unique<Writer>(
        ring_, own_time_, std::make_unique<DiskSink>(disk_), header,
        Writer::Settings{}, Writer::Links{});
    EXPECT_TRUE(writer_->flush(kDeadline)) << "the first chunk is written";
  }

  // Pushes a number of issues on each thread, named by `batch`. Returns
  // although the disk hangs: no thread waits for it.
  void pushOnAllThreads() {
    std::vector<std::thread> threads;
    for (int t = 0; t < kIssuers; ++t) {
      threads.emplace_back([this, t] {
        const std::string name = "issuer-" + std::to_string(t);
        pthread_setname_np(pthread_self(), name.c_str());
        tids_[t] = gettid();
        const auto batch = static_cast<std::uint64_t>(t) + 1;
        for (std::uint64_t i = 1; i <= pushesOf(t); ++i) {
          ring_.push(RecordKind::kIssue, IssueRecord{1, i, batch, 0, 0, 0});
        }
        for (int i = 0; i < t; ++i)
          ring_.drop(RingDrop::kIssueLost, RecordKind::kReturn);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  static std::uint64_t pushesOf(int thread) {
    return 5000 + 100 * static_cast<std::uint64_t>(thread);
  }

  void readBack() {
    ASSERT_TRUE(writer_->stop(kDeadline));
    for (const v1::Payload& payload : testing::decodeTrace(disk_.bytes())) {
      accounts_ = payload.accounts();
      for (const IssueRow& row : testing::rowsOf<IssueRow>(payload)) {
        std::vector<std::uint64_t>& seqs = seqs_[static_cast<int>(row.batch)];
        if (!seqs.empty()) {
          EXPECT_GT(row.seq, seqs.back()) << "order is kept";
        }
        seqs.push_back(row.seq);
        ++stored_;
      }
    }
  }

  std::uint64_t dropped(v1::DropReason reason) const {
    for (const v1::Drop& drop : accounts_.drop()) {
      if (drop.reason() == reason) return drop.records();
    }
    return 0;
  }

  std::vector<RingSlot> memory_;
  Ring ring_;
  OwnTime own_time_;
  Disk disk_;
  std::unique_ptr<Writer> writer_;
  std::int64_t tids_[kIssuers] = {};

  v1::Accounts accounts_;
  std::map<int, std::vector<std::uint64_t>> seqs_;
  std::uint64_t stored_ = 0;
};

TEST_F(OverflowTest, EveryRecordIsStoredOrCountedForItsThread) {
  disk_.hang();
  pushOnAllThreads();
  disk_.release();
  readBack();

  std::uint64_t pushed = 0;
  std::map<std::int64_t, v1::ThreadDrops> by_tid;
  for (const v1::ThreadDrops& thread : accounts_.thread_drops()) {
    EXPECT_TRUE(by_tid.emplace(thread.tid(), thread).second) << "named once";
  }
  ASSERT_EQ(by_tid.size(), std::size_t{kIssuers});
  for (int t = 0; t < kIssuers; ++t) {
    const v1::ThreadDrops& thread = by_tid[tids_[t]];
    EXPECT_EQ(thread.name(), "issuer-" + std::to_string(t));
    ASSERT_GE(thread.drop_size(), 1);
    EXPECT_EQ(thread.drop(0).reason(), v1::DROP_REASON_RING_FULL);
    EXPECT_EQ(thread.drop(0).records() + seqs_[t + 1].size(), pushesOf(t));
    ASSERT_EQ(thread.drop_size(), t == 0 ? 1 : 2);
    if (t > 0) {
      EXPECT_EQ(thread.drop(1).reason(), v1::DROP_REASON_ISSUE_LOST);
      EXPECT_EQ(thread.drop(1).records(), static_cast<std::uint64_t>(t));
    }
    pushed += pushesOf(t);
  }
  EXPECT_LE(stored_, 2 * kSlots) << "the disk did stand still";
  EXPECT_EQ(dropped(v1::DROP_REASON_RING_FULL), pushed - stored_);
  EXPECT_EQ(dropped(v1::DROP_REASON_ISSUE_LOST), 28u);
  EXPECT_EQ(accounts_.stored(), stored_);
  EXPECT_EQ(accounts_.produced(), pushed + 28);
}

TEST_F(OverflowTest, CountsRecordsThatTheDiskRefuses) {
  disk_.beFull(true);
  pushOnAllThreads();
  EXPECT_FALSE(writer_->flush(kDeadline)) << "not all is in the file";
  disk_.beFull(false);
  readBack();
  std::uint64_t pushed = 0;
  for (int t = 0; t < kIssuers; ++t) pushed += pushesOf(t);
  EXPECT_EQ(stored_, 0u);
  EXPECT_GT(dropped(v1::DROP_REASON_WRITE_FAILED), 0u);
  EXPECT_EQ(dropped(v1::DROP_REASON_WRITE_FAILED) +
                dropped(v1::DROP_REASON_RING_FULL),
            pushed);
}

TEST(ThreadDropsTest, MoreThreadsThanEntriesShareTheLast) {
  constexpr int kMany = 100;
  auto table = std::make_unique<ThreadDropTable>();
  for (int t = 0; t < kMany; ++t) {
    std::thread([&] {
      countDrop(*table, RingDrop::kFull);
      countDrop(*table, RingDrop::kIssueLost);
    }).join();
  }
  const auto counts = dropCounts(*table);
  ASSERT_EQ(counts.size(), ThreadDropTable::kEntries);
  std::uint64_t full = 0;
  for (const ThreadDropCount& count : counts) full += count.ring_full;
  EXPECT_EQ(full, std::uint64_t{kMany});
  EXPECT_EQ(counts.back().tid, 0);
  EXPECT_EQ(counts.back().issue_lost, kMany - ThreadDropTable::kEntries + 1);
}

TEST(ThreadDropsTest, ATableAtAReusedAddressIsANewOne) {
  ThreadDropTable table{};
  countDrop(table, RingDrop::kFull);
  new (&table) ThreadDropTable{};
  countDrop(table, RingDrop::kFull);
  ASSERT_EQ(dropCounts(table).size(), 1u);
  EXPECT_EQ(dropCounts(table)[0].tid, gettid());
}

}  // namespace
}  // namespace traced
