// What a process that will be killed says it has recorded: counters of its own,
// beside the recorder, in memory that outlives it.

#pragma once

#include <atomic>
#include <cstdint>

#include "support/recovered_trace.h"

namespace traced::testing {

inline constexpr int kThreads = 4;
// Issue, return, done, wait, release.
inline constexpr std::uint64_t kRecordsEach = 5;
// Of some only the issue, and the return together with the wait.
constexpr bool isWaitedForAtOnce(std::uint64_t seq) { return seq % 3 == 0; }
constexpr bool fails(std::uint64_t seq) {
  return seq % 50 == 0 && !isWaitedForAtOnce(seq);
}
// Of the first so many operations of a thread.
constexpr std::uint64_t recordsOf(std::uint64_t operations) {
  return kRecordsEach * operations - 2 * (operations / 3);
}

struct Truth {
  // Records of a thread that it has begun to push, and that are pushed.
  struct Thread {
    std::atomic<std::uint64_t> begun;
    std::atomic<std::uint64_t> pushed;
    std::atomic<std::int64_t> tid;
  };
  Thread threads[kThreads];
  // Makes the first thread store to where there is no memory.
  std::atomic<bool> fault;

  std::uint64_t begun() const;
  std::uint64_t pushed() const;
};

// A Truth that children of this process share.
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

// Holds a trace against the truth: of each thread all that was pushed is there,
// once, without a hole, and nothing that was not begun.
void expectAllOf(const Truth& truth, const RecoveredTrace& trace);

// The same where the oldest records were deleted: what is left and what was
// deleted are together what was pushed.
void expectNewestOf(const Truth& truth, const RecoveredTrace& trace);

// The same where the ring was full most of the time: of each thread, what is
// there and what was counted as dropped are together what was pushed.
void expectEachAccountedFor(const Truth& truth, const RecoveredTrace& trace);

}  // namespace traced::testing
