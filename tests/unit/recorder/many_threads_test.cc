// Tests threads that record at full speed: counts are exact and every thread's
// order is kept, although the writer does not keep up.
// TRACED_OPERATIONS=1000000 makes it long.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <thread>
#include <vector>

#include "recorder/writer.h"
#include "support/recovered_trace.h"
#include "support/rows_of.h"
#include "support/temp_dir.h"
#include "support/trace_file.h"

namespace traced {
namespace {

constexpr std::uint32_t kRecorders = 8;
constexpr std::uint64_t kManySlots = 1 << 14;

// The records found, by the number that each thread stores in them.
struct FoundRecords {
  std::map<std::uint64_t, std::uint64_t> records;
  std::uint64_t out_of_order = 0;
  v1::Accounts accounts;
};

// Inspects each chunk on arrival, and keeps none.
class InspectingSink : public Sink {
 public:
  explicit InspectingSink(FoundRecords& found) : found_(found) {}

  bool append(const std::string& chunk, std::uint64_t) override {
    for (const v1::Payload& payload : testing::decodeTrace(chunk)) {
      found_.accounts = payload.accounts();
      for (const IssueRow& row : testing::rowsOf<IssueRow>(payload)) {
        check(row.batch, row.seq, last_seq_);
      }
      for (const ReturnRow& row : testing::rowsOf<ReturnRow>(payload)) {
        check(row.error, row.op + 1, last_op_);
      }
    }
    return true;
  }
  std::uint64_t recordsDeleted() const override { return 0; }
  std::string location() const override { return "nowhere"; }

 private:
  using Last = std::map<std::uint64_t, std::uint64_t>;

  // Counts a record, and whether its number follows the last one of the thread.
  void check(std::uint64_t thread, std::uint64_t number, Last& last) {
    ++found_.records[thread];
    found_.out_of_order += number <= last[thread];
    last[thread] = number;
  }

  FoundRecords& found_;
  Last last_seq_, last_op_;
};

// Records like the recorder; `number` identifies the thread.
void recordOperations(Ring& ring, std::uint32_t number,
                      std::uint64_t operations) {
  for (std::uint64_t i = 1; i <= operations; ++i) {
    const OpId op =
        ring.push(RecordKind::kIssue, IssueRecord{1, i, number, 0, 0, 0});
    if (op == Ring::kFull) {
      ring.drop(RingDrop::kIssueLost, RecordKind::kReturn);
    } else {
      ring.push(RecordKind::kReturn, ReturnRecord{op, 2, number, Outcome::kOk});
    }
  }
}

TEST(ManyThreadsTest, CountsAreExactAndOrderIsKept) {
  const char* text = std::getenv("TRACED_OPERATIONS");
  const std::uint64_t operations =
      text ? std::strtoull(text, nullptr, 10) : 100'000;
  std::vector<RingSlot> memory(Ring::bytesFor(kManySlots) / sizeof(RingSlot));
  Ring ring(memory.data(), kManySlots);
  OwnTime own_time;
  FoundRecords found;
  v1::Header header;
  header.set_stream_id(7);
  Writer writer(ring, own_time, std::make_unique<InspectingSink>(found), header,
                Writer::Settings{}, Writer::Links{});

  std::int64_t tids[kRecorders];
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < kRecorders; ++t) {
    threads.emplace_back([&, t] {
      tids[t] = gettid();
      recordOperations(ring, t + 1, operations);
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(writer.stop(std::chrono::seconds(60)));

  std::map<std::int64_t, std::uint64_t> dropped;
  for (const v1::ThreadDrops& thread : found.accounts.thread_drops()) {
    for (const auto& drop : thread.drop()) {
      dropped[thread.tid()] += drop.records();
    }
  }
  std::uint64_t stored = 0;
  for (std::uint32_t t = 0; t < kRecorders; ++t) {
    EXPECT_EQ(found.records[t + 1] + dropped[tids[t]], 2 * operations);
    stored += found.records[t + 1];
  }
  EXPECT_EQ(found.out_of_order, 0u);
  EXPECT_EQ(found.accounts.stored(), stored);
  EXPECT_EQ(found.accounts.produced(), 2 * operations * kRecorders);
  std::cout << kRecorders << " threads x " << operations
            << " operations: " << found.accounts.produced() << " records, "
            << stored << " stored, the others counted as dropped" << std::endl;
}

// Asynchronous checkpointing creates a thread for each step.
TEST(ManyThreadsTest, ForgetsEndedThreads) {
  constexpr int kThreads = 4000;
  const testing::TempDir dir;
  const pid_t child = fork();
  if (child == 0) {
    Options options;
    options.resources_ns = 0;  // the test counts records
    options.directory = dir.path() + "/traces";
    options.ring_directory = dir.path();
    options.max_bytes = 1 << 20;
    Recorder& recorder = **Recorder::start(options, {});
    auto group = recorder.addGroup(testing::worldOfTwo());
    for (int i = 0; i < kThreads; ++i) {
      std::thread([&] { testing::issueCall(recorder, *group, 1); }).join();
      if (i % 1000 == 999) recorder.flush(std::chrono::seconds(60));
    }
    // Continues until another part begins, which repeats all definitions still
    // in use.
    std::uint64_t seq = 1;
    const std::string first_part = recorder.location();
    while (std::filesystem::exists(first_part)) {
      for (int i = 0; i < 1000; ++i) {
        testing::issueCall(recorder, *group, ++seq, 0, 1 + (seq * 77) % 9999);
      }
      recorder.flush(std::chrono::seconds(60));
    }
    Recorder::stopCurrent(std::chrono::seconds(60));
    std::_Exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  std::set<std::uint32_t> named;
  for (const auto& payload :
       testing::readRecovered(dir.path() + "/traces").payloads) {
    for (const auto& thread : payload.thread()) named.insert(thread.id());
  }
  EXPECT_LT(named.size(), std::size_t{kThreads / 2});
}

}  // namespace
}  // namespace traced
