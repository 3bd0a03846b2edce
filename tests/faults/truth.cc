#include "truth.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <new>
#include <utility>

namespace traced::testing {
namespace {

constexpr unsigned kAllKinds = (1u << kRecordsEach) - 1;
constexpr unsigned kIssue = 1u << 0;
constexpr unsigned kReturnAndWait = 1u << 1 | 1u << 3;

unsigned allKindsOf(std::uint64_t seq) {
  return isWaitedForAtOnce(seq) ? kIssue | kReturnAndWait : kAllKinds;
}

// Returns the number of records of an operation. Expects that they are the
// first of its kinds, without a hole.
std::uint64_t firstKinds(std::uint64_t seq, unsigned kinds) {
  const bool in_order = isWaitedForAtOnce(seq)
                            ? kinds == kIssue || kinds == allKindsOf(seq)
                            : (kinds & (kinds + 1)) == 0;
  EXPECT_TRUE(in_order) << "a record without the one before";
  return static_cast<std::uint64_t>(std::popcount(kinds));
}

// Returns the number of records of the thread whose operations have `batch`.
// Expects all its operations in order, and that only the last is incomplete.
std::uint64_t prefixOf(std::uint64_t batch, const RecoveredTrace& trace) {
  if (!trace.seqs.count(batch)) return 0;
  const std::vector<std::uint64_t>& seqs = trace.seqs.at(batch);
  const std::vector<std::uint64_t>& ops = trace.ops.at(batch);
  std::uint64_t records = 0;
  for (std::size_t i = 0; i < seqs.size(); ++i) {
    EXPECT_EQ(seqs[i], i + 1) << "an operation is missing, or there twice";
    const unsigned kinds = trace.kinds_of.at(ops[i]);
    records += firstKinds(seqs[i], kinds);
    EXPECT_TRUE(kinds == allKindsOf(seqs[i]) || i + 1 == seqs.size())
        << "a hole in operation " << i + 1;
    if (::testing::Test::HasFailure()) break;
  }
  return records;
}

}  // namespace

std::uint64_t Truth::begun() const {
  std::uint64_t records = 0;
  for (const Thread& thread : threads) records += thread.begun;
  return records;
}

std::uint64_t Truth::pushed() const {
  std::uint64_t records = 0;
  for (const Thread& thread : threads) records += thread.pushed;
  return records;
}

SharedTruth::SharedTruth()
    : truth_(new (mmap(nullptr, sizeof(Truth), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Truth{}) {}

SharedTruth::~SharedTruth() { munmap(truth_, sizeof(Truth)); }

void expectAllOf(const Truth& truth, const RecoveredTrace& trace) {
  ASSERT_FALSE(trace.payloads.empty());
  for (const v1::Drop& drop : trace.accounts().drop()) {
    FAIL() << drop.records() << " records dropped for reason " << drop.reason()
           << " of " << trace.accounts().produced();
  }
  std::uint64_t found = 0;
  for (int t = 0; t < kThreads; ++t) {
    SCOPED_TRACE("thread " + std::to_string(t));
    const std::uint64_t records =
        prefixOf(static_cast<std::uint64_t>(t) + 1, trace);
    EXPECT_GE(records, truth.threads[t].pushed) << "what was pushed is there";
    EXPECT_LE(records, truth.threads[t].begun);
    found += records;
  }
  found += trace.marks;
  EXPECT_EQ(trace.rows, found) << "nothing else, and nothing twice";
  EXPECT_EQ(trace.accounts().stored(), found);
  EXPECT_EQ(trace.accounts().produced(), found);
  EXPECT_NE(trace.accounts().recovered(), trace.accounts().closed());
}

void expectNewestOf(const Truth& truth, const RecoveredTrace& trace) {
  ASSERT_FALSE(trace.payloads.empty());
  const v1::Accounts& accounts = trace.accounts();
  std::uint64_t deleted = 0;
  for (const v1::Drop& drop : accounts.drop()) {
    EXPECT_EQ(drop.reason(), v1::DROP_REASON_RETENTION);
    deleted += drop.records();
  }
  EXPECT_EQ(accounts.stored(), trace.rows);
  EXPECT_EQ(accounts.produced(), trace.rows + deleted);
  EXPECT_GE(accounts.produced(), truth.pushed());
  // A failed operation also has a mark.
  EXPECT_LE(accounts.produced(), truth.begun() + truth.begun() / kRecordsEach);
  for (int t = 0; t < kThreads; ++t) {
    const auto found = trace.seqs.find(static_cast<std::uint64_t>(t) + 1);
    if (found == trace.seqs.end()) continue;
    const std::vector<std::uint64_t>& seqs = found->second;
    for (std::size_t i = 1; i < seqs.size(); ++i) {
      ASSERT_EQ(seqs[i], seqs[i - 1] + 1) << "a hole in thread " << t;
    }
    EXPECT_GE(seqs.back() * kRecordsEach, truth.threads[t].pushed);
  }
}

void expectEachAccountedFor(const Truth& truth, const RecoveredTrace& trace) {
  ASSERT_FALSE(trace.payloads.empty());
  std::map<std::int64_t, std::uint64_t> dropped;
  for (const v1::ThreadDrops& thread : trace.accounts().thread_drops()) {
    for (const v1::Drop& drop : thread.drop()) {
      dropped[thread.tid()] += drop.records();
    }
  }
  std::uint64_t produced = trace.marks;
  for (int t = 0; t < kThreads; ++t) {
    SCOPED_TRACE("thread " + std::to_string(t));
    std::uint64_t records =
        std::exchange(dropped[truth.threads[t].tid], std::uint64_t{0});
    const auto ops = trace.ops.find(static_cast<std::uint64_t>(t) + 1);
    if (ops != trace.ops.end()) {
      for (const std::uint64_t op : ops->second) {
        records +=
            static_cast<std::uint64_t>(std::popcount(trace.kinds_of.at(op)));
      }
      const auto& seqs = trace.seqs.at(ops->first);
      EXPECT_TRUE(std::is_sorted(seqs.begin(), seqs.end(), std::less_equal{}))
          << "in order, and once";
    }
    EXPECT_GE(records, truth.threads[t].pushed) << "what was pushed is counted";
    EXPECT_LE(records, truth.threads[t].begun);
    produced += records;
  }
  // The ring may also have been full for marks of the writer.
  for (const auto& [tid, records] : dropped) produced += records;
  EXPECT_EQ(trace.accounts().stored(), trace.rows);
  EXPECT_EQ(trace.accounts().produced(), produced);
}

}  // namespace traced::testing
