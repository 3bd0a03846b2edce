// Program is a made-up SPMD program: steps of items that all members of a group
// do together, and at most one fault. It is small and in symbols, so that it
// can be shrunk; unroll.h makes of it what each rank calls.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traced/v1/definitions.pb.h"
#include "truth/features.h"

namespace traced::truth {

using Ranks = std::vector<std::uint32_t>;

// Groups of one role: each rank is in one of them, or in none.
struct Role {
  std::string desc;
  std::vector<Ranks> groups;
};

// How the caller learns of the end.
enum class Waiting : std::uint8_t {
  // The call waits itself.
  kSync,
  // By Work.wait(), when the step ends.
  kAsync,
  // By the Work's future, when the step ends: no wait is recorded.
  kFuture,
};

enum class ItemKind : std::uint8_t {
  kCollective,
  // Each sends to the next one of the group, and receives from the one before.
  kExchange,
  // Received from the one before, sent to the next, from first to last.
  kPipeline,
};

struct Item {
  std::uint32_t id = 0;
  ItemKind kind = ItemKind::kCollective;
  v1::Operation op = v1::OPERATION_ALL_REDUCE;
  std::uint32_t role = 0;
  std::uint64_t elements = 256;
  v1::DType dtype = v1::DTYPE_FLOAT32;
  v1::ReduceOp reduce_op = v1::REDUCE_OP_SUM;
  std::uint32_t root = 0;  // modulo the group's size
  std::int32_t tag = 0;
  Waiting waiting = Waiting::kSync;
  bool uneven = false;  // of an all-to-all
  std::int64_t compute_us = 0;
};

enum class FaultKind : std::uint8_t {
  kNone,
  kSkip,
  kExtra,
  kOtherOp,
  kOtherDtype,
  kOtherSize,
  kOtherReduceOp,
  kOtherRoot,
  kSwap,         // with the next item
  kLostSend,     // a message is not sent
  kStrayRecv,    // a message is waited for that nobody sends
  kDead,         // killed before the item
  kRaise,        // an exception ends the process before the item
  kStuck,        // computes for ever before the item
  kStuckInside,  // the operation never ends
  kLate,         // once
  kStraggler,    // in each step
  kSlowLink,     // messages to the next rank
  // Below: drawn apart, so that seeds keep their programs.
  kLateInTurn,  // each rank once in a while
  kStragglers,  // two ranks, in each step
  kSwallowed,   // a failure that all catch; the next step raises something else
  kTimedOut,    // one is late, the others give up, catch that and go on
};
inline constexpr int kFaultKinds = 18;
inline constexpr int kAllFaultKinds = 22;
const char* nameOf(FaultKind kind);

// What others do when an operation cannot go well.
enum class Consequence : std::uint8_t { kHang, kFail, kProceed };

// How those who stand still come to their end.
enum class CutOff : std::uint8_t {
  kKilled,      // by SIGKILL; when is not seen
  kSeenKilled,  // the same, and a keeper sees when
  kTerminated,
  kAborted,
  kInterrupted,  // by Ctrl-C
};

struct Fault {
  FaultKind kind = FaultKind::kNone;
  Consequence consequence = Consequence::kHang;
  std::uint32_t rank = 0;
  std::uint32_t step = 0;
  std::uint32_t item = 0;
  std::int64_t ns = 0;  // of what is late or slow
  CutOff cut_off = CutOff::kKilled;
};

// What becomes of the traces. Ranks count modulo the world.
struct Variation {
  // Killed in the middle of the work, at this part of the run in percent; 0:
  // no.
  std::uint32_t killed_at_percent = 0;
  // The rings of killed processes were read.
  bool recovered = true;
  // Files of so many ranks from one on are missing, and a chunk in the middle
  // of a rank's.
  std::uint32_t missing = 0;
  std::uint32_t missing_from = 0;
  bool lost_chunk = false;
  std::uint32_t lost_chunk_of = 0;
  // Files of another run of the same name lie beside, an older one.
  bool beside_older = false;
  // Answers are compared with those of the merged file, and of merges of parts.
  bool merged = false;

  bool isWhole() const {
    return killed_at_percent == 0 && missing == 0 && !lost_chunk &&
           !beside_older;
  }
};

struct Program {
  std::uint64_t seed = 0;
  // Runs on the same hosts read the same clocks.
  std::uint64_t clock_seed = 0;
  Features features;
  std::uint32_t world = 2;
  std::uint32_t ranks_per_host = 2;
  std::uint32_t steps = 4;
  bool step_marks = true;
  // Milliseconds that all hang before they are killed.
  std::int64_t hang_ms = 60'000;
  std::vector<Role> roles;  // the first has one group, of all
  // Each rank makes only the groups that it is in: c10d gives the groups of a
  // role one name, and ranks meet by name and group rank.
  bool own_groups = false;
  std::vector<Item> items;
  Fault fault;
  Variation variation;

  std::uint32_t hostOf(std::uint32_t rank) const {
    return rank / ranks_per_host;
  }
  std::uint32_t hosts() const { return hostOf(world - 1) + 1; }
};

// In words, a line for each item.
std::string textOf(const Program& program);

}  // namespace traced::truth
