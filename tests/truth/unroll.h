// Computes the statements of each rank of a program, including its fault.

#pragma once

#include <cstdint>
#include <vector>

#include "truth/program.h"

namespace traced::truth {

// A group of a role, with its index in the simulation and the traces.
struct PlainGroup {
  std::string desc;
  Ranks members;
  std::uint32_t indexOf(std::uint32_t rank) const;
};

// Returns whether the outputs of the operation are its inputs.
constexpr bool isInPlace(v1::Operation op) {
  return op == v1::OPERATION_ALL_REDUCE || op == v1::OPERATION_BROADCAST ||
         op == v1::OPERATION_REDUCE;
}

// A c10d call. Ranks are group ranks.
struct Called {
  v1::Operation op = v1::OPERATION_UNSPECIFIED;
  std::uint32_t group = 0;
  std::uint64_t elements = 0;
  v1::DType dtype = v1::DTYPE_FLOAT32;
  v1::ReduceOp reduce_op = v1::REDUCE_OP_UNSPECIFIED;
  std::uint32_t root_plus_1 = 0;
  std::uint32_t peer_plus_1 = 0;
  std::int32_t tag = 0;
  bool async = false;
  std::vector<std::int64_t> split_in, split_out;
  // The memory that it uses.
  std::uint32_t buffer = 0;
  // The line of the program with the call; 0: not recorded.
  std::uint32_t line = 0;
  // Thread number within the rank.
  std::uint32_t thread = 1;
  bool in_backward = false;

  bool operator==(const Called&) const = default;
  // Returns whether two ranks call the same operation.
  bool agreesWith(const Called& other) const;
};

struct Statement {
  enum class Kind : std::uint8_t {
    kCompute,
    kCall,
    kWait,    // for an earlier call, by its Work
    kFuture,  // for an earlier call, by its future
    kStep,
    kDie,
    kRaise,
  };
  Kind kind = Kind::kCompute;
  std::int64_t ns = 0;  // computing time
  Called call = {};
  std::uint32_t handle = 0;  // of calls and waits
  std::uint32_t step = 0;
  // The operation never ends; a message is slow by `ns`.
  bool stuck = false;
  // The operation fails, or it fails after timeout_ns if it has not ended by
  // then.
  bool fails = false;
  std::int64_t timeout_ns = 0;
  // The fault happens next.
  bool at_fault = false;

  bool operator==(const Statement&) const = default;
};

struct Unrolled {
  std::vector<PlainGroup> groups;
  // By rank.
  std::vector<std::vector<Statement>> ranks;
};

Unrolled unroll(const Program& program);

// Returns whether the fault changes any rank's statements.
bool faultTakesPlace(const Program& program);

// Returns whether a rank is late in a step because of a fault that affects
// several ranks.
bool isOneOfLate(const Program& program, std::uint32_t rank,
                 std::uint32_t step);

// Returns the ranks that took part in the fault: the faulty rank, the other end
// of a slow link, and all late ranks.
Ranks plantedRanks(const Program& program, const Unrolled& unrolled);

}  // namespace traced::truth
