// Program is a synthetic SPMD program: steps of items that all members of a
// group execute together, and at most one fault. It is small and symbolic, so
// that it can be shrunk. unroll.h computes the calls of each rank.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traced/v1/definitions.pb.h"
#include "truth/features.h"

namespace traced::truth {

using Ranks = std::vector<std::uint32_t>;

// The groups of one role. Each rank is in at most one of them.
struct Role {
  std::string desc;
  std::vector<Ranks> groups;
};

// How the caller learns of the end.
enum class Waiting : std::uint8_t {
  // The call itself waits.
  kSync,
  // Work.wait() at the end of the step.
  kAsync,
  // The Work's future at the end of the step: no wait is recorded.
  kFuture,
};

enum class ItemKind : std::uint8_t {
  kCollective,
  // Each rank sends to the next of the group and receives from the previous
  // one.
  kExchange,
  // Each rank receives from the previous one and sends to the next, from first
  // to last.
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
  bool uneven = false;  // for an all-to-all
  std::int64_t compute_us = 0;
  bool in_backward = false;
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
  kStrayRecv,    // a rank waits for a message that no rank sends
  kDead,         // killed before the item
  kRaise,        // an exception ends the process before the item
  kStuck,        // computes for ever before the item
  kStuckInside,  // the operation never ends
  kLate,         // once
  kStraggler,    // in each step
  kSlowLink,     // messages to the next rank
  // The following are drawn separately, so that older seeds keep their
  // programs.
  kLateInTurn,      // each rank, now and then
  kStragglers,      // two ranks, in each step
  kSwallowed,       // all catch a failure; the next step raises another one
  kTimedOut,        // one is late; the others time out, catch it and continue
  kUnsynchronised,  // no rank makes the call that carries data to all ranks
};
inline constexpr int kFaultKinds = 18;
inline constexpr int kAllFaultKinds = 23;
const char* nameOf(FaultKind kind);

// The behaviour of the other ranks when an operation cannot succeed.
enum class Consequence : std::uint8_t { kHang, kFail, kProceed };

// How the processes of a hanging job end.
enum class CutOff : std::uint8_t {
  kKilled,      // by SIGKILL, at an unobserved time
  kSeenKilled,  // the same, and a keeper observes the time
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
  std::int64_t ns = 0;  // how late or slow
  CutOff cut_off = CutOff::kKilled;
};

// Modifications of the traces. Ranks count modulo the world size.
struct Variation {
  // All processes are killed at this percentage of the run. 0: not killed.
  std::uint32_t killed_at_percent = 0;
  // Whether the rings of killed processes were recovered.
  bool recovered = true;
  // Number of ranks whose files are missing and the first of them. A chunk in
  // the middle of one rank's file may be missing too.
  std::uint32_t missing = 0;
  std::uint32_t missing_from = 0;
  bool lost_chunk = false;
  std::uint32_t lost_chunk_of = 0;
  // The folder also has files of an older run of the same name.
  bool beside_older = false;
  // Compares the answers with those for the merged file and for merges of
  // parts.
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
  // How long all ranks hang before they are killed, in milliseconds.
  std::int64_t hang_ms = 60'000;
  std::vector<Role> roles;  // the first has one group, of all ranks
  // Each rank creates only the groups that it is in. c10d gives all groups of a
  // role one name, and ranks connect by name and group rank.
  bool own_groups = false;
  std::vector<Item> items;
  Fault fault;
  Variation variation;

  std::uint32_t hostOf(std::uint32_t rank) const {
    return rank / ranks_per_host;
  }
  std::uint32_t hosts() const { return hostOf(world - 1) + 1; }
};

// Describes the program, with a line for each item.
std::string textOf(const Program& program);

}  // namespace traced::truth
