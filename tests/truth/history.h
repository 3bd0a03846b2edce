// History is what truly happened when a program ran. Answers are compared with
// it. Times are true nanoseconds since the program began.

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "truth/unroll.h"

namespace traced::truth {

inline constexpr std::int64_t kUs = 1'000;
inline constexpr std::int64_t kMs = 1'000'000;
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

struct Happened {
  Called call;
  std::uint64_t seq = 0;
  std::int64_t issued = kNever;
  std::int64_t returned = kNever;
  // When its part began: it had left the queue, and its own dependencies had
  // ended.
  std::int64_t ready = kNever;
  // When the last rank that its end depends on was ready.
  std::int64_t peers_ready = kNever;
  std::int64_t ended = kNever;
  // The end that the future's callback reports.
  std::int64_t stamped = kNever;
  std::int64_t wait_began = kNever;
  std::int64_t wait_ended = kNever;
  std::int64_t released = kNever;
  bool failed = false;
  // It failed because of a timeout.
  bool timed_out = false;
  // It failed because an interrupt ended the hanging job.
  bool cut_off = false;
};

struct StepBegun {
  std::uint64_t step = 0;
  std::int64_t at = 0;
};

enum class Ending : std::uint8_t { kInOrder, kRaised, kKilled, kInterrupted };

struct RankHistory {
  std::vector<Happened> operations;
  std::vector<StepBegun> steps;
  Ending ending = Ending::kKilled;
  std::int64_t end = 0;
};

struct History {
  std::vector<PlainGroup> groups;
  std::vector<RankHistory> ranks;
  // All ranks were blocked for ever before they were killed.
  bool hung = false;
  // Members of a group called different operations, or an operation failed. The
  // times after that do not follow c10d.
  bool out_of_step = false;
  // When the fault had its effect; kNever: it had none.
  std::int64_t fault_at = kNever;
  std::int64_t end = 0;
};

// Returns whether only the caller's wait shows the end of this operation.
bool endsOnlyInWait(v1::Operation op);

}  // namespace traced::truth
