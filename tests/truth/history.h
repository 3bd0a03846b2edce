// History is what truly happened when a program ran: the truth that answers are
// held against. Instants are true time in nanoseconds since the program began.

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
  // When its part began: it was out of the queue, and what it waits for itself
  // had ended.
  std::int64_t ready = kNever;
  // When the last of those that its end depends on was ready.
  std::int64_t peers_ready = kNever;
  std::int64_t ended = kNever;
  // What the future's callback tells as its end.
  std::int64_t stamped = kNever;
  std::int64_t wait_began = kNever;
  std::int64_t wait_ended = kNever;
  std::int64_t released = kNever;
  bool failed = false;
  // It failed because it took too long.
  bool timed_out = false;
  // It failed because an interrupt ended what stood still.
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
  // Nobody moved any more before all were killed.
  bool hung = false;
  // Members of a group called what others did not, or an operation failed: what
  // follows in time is not c10d's.
  bool out_of_step = false;
  // When the fault took place; kNever: it changed nothing.
  std::int64_t fault_at = kNever;
  std::int64_t end = 0;
};

// Whether the end of an operation shows only in the caller's wait.
bool endsOnlyInWait(v1::Operation op);

}  // namespace traced::truth
