// Truth counts what a process that will be killed has recorded. The counters
// are independent of the recorder, in memory that outlives the process.

#pragma once

#include <atomic>
#include <cstdint>

#include "support/recovered_trace.h"

namespace traced::testing {

inline constexpr int kThreads = 4;
// Issue, return, done, wait, release.
inline constexpr std::uint64_t kRecordsEach = 5;
// Returns whether the operation makes only two pushes: the issue, and the
// return together with the wait.
constexpr bool isWaitedForAtOnce(std::uint64_t seq) { return seq % 3 == 0; }
constexpr bool fails(std::uint64_t seq) {
  return seq % 50 == 0 && !isWaitedForAtOnce(seq);
}
// Returns the number of records of the first `operations` of a thread.
constexpr std::uint64_t recordsOf(std::uint64_t operations) {
  return kRecordsEach * operations - 2 * (operations / 3);
}

struct Truth {
  // Number of records that a thread has begun to push, and has pushed.
  struct Thread {
    std::atomic<std::uint64_t> begun;
    std::atomic<std::uint64_t> pushed;
    std::atomic<std::int64_t> tid;
  };
  Thread threads[kThreads];
  // If set, the first thread stores to an invalid address.
  std::atomic<bool> fault;

  std::uint64_t begun() const;
  std::uint64_t pushed() const;
};

// SharedTruth is a Truth that this process shares with its children.
class SharedTruth {
 public:
  SharedTruth();
  ~SharedTruth();
  SharedTruth(const SharedTruth&) = delete;
  SharedTruth& operator=(const SharedTruth&) = delete;

  Truth& operator*() const { return *truth_; }
  Truth* operator->() const { return truth_; }

 private:
  Truth* const truth_;
};

// Expects that a trace has every pushed record of each thread once, without a
// hole, and none that the thread had not begun to push.
void expectAllOf(const Truth& truth, const RecoveredTrace& trace);

// Same if the oldest records were deleted: expects that the remaining and the
// deleted records together are the pushed ones.
void expectNewestOf(const Truth& truth, const RecoveredTrace& trace);

// Same if the ring was full most of the time: expects for each thread that the
// present and the dropped records together are the pushed ones.
void expectEachAccountedFor(const Truth& truth, const RecoveredTrace& trace);

}  // namespace traced::testing
