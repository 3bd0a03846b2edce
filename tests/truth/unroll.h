// What each rank of a program does, one after the other, its fault included.

#pragma once

#include <cstdint>
#include <vector>

#include "truth/program.h"

namespace traced::truth {

// One group of a role, as the simulation and the traces number it.
struct PlainGroup {
  std::string desc;
  Ranks members;
  std::uint32_t indexOf(std::uint32_t rank) const;
};

// A call of c10d's. Ranks are those within the group.
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
  // Which memory it uses.
  std::uint32_t buffer = 0;
  // The line of the program that makes it; 0: not recorded.
  std::uint32_t line = 0;
  // Of its rank.
  std::uint32_t thread = 1;

  bool operator==(const Called&) const = default;
  // Whether two ranks mean the same operation.
  bool agreesWith(const Called& other) const;
};

struct Statement {
  enum class Kind : std::uint8_t {
    kCompute,
    kCall,
    kWait,    // for an earlier call, by its Work
    kFuture,  // the same, by its future
    kStep,
    kDie,
    kRaise,
  };
  Kind kind = Kind::kCompute;
  std::int64_t ns = 0;  // of computing
  Called call = {};
  std::uint32_t handle = 0;  // of calls and waits
  std::uint32_t step = 0;
  // Its operation never ends; a message is slow by `ns`.
  bool stuck = false;
  // It fails; or it does after so long, if it has not ended by then.
  bool fails = false;
  std::int64_t timeout_ns = 0;
  // The fault is about to take place.
  bool at_fault = false;

  bool operator==(const Statement&) const = default;
};

struct Unrolled {
  std::vector<PlainGroup> groups;
  // By rank.
  std::vector<std::vector<Statement>> ranks;
};

Unrolled unroll(const Program& program);

// Whether the fault changes anything of what ranks do.
bool faultTakesPlace(const Program& program);

// Whether a rank is late in a step, of a fault that several are in.
bool isOneOfLate(const Program& program, std::uint32_t rank,
                 std::uint32_t step);

// Who took part in the fault: the rank, the other end of a slow link, and all
// who are late.
Ranks plantedRanks(const Program& program, const Unrolled& unrolled);

}  // namespace traced::truth
