// What a trace calls an operation, and what a process tells of one while it
// runs.

#pragma once

#include <cstdint>
#include <string>

#include "base/operation.h"
#include "ring_io/chunks/chunk_builder.h"
#include "ring_io/ring/record.h"

namespace traced {

// What a trace calls an operation: "all_reduce". "operation" for one that has
// no name.
const char* operationName(Operation op) noexcept;

// What is told of a call.
struct CallFacts {
  Operation operation{};
  std::uint32_t group = 0;
  // The larger of input and output.
  std::uint64_t bytes = 0;
  std::int64_t peer = -1;  // global rank; -1: none, or any
};

CallFacts factsOf(const v1::Call& call);

// A single operation, as a process tells of it while it runs.
struct OperationSummary {
  OpId op = 0;
  std::string operation;
  std::string group_name;
  std::string group_desc;
  std::uint64_t seq = 0;  // 0: none
  std::uint64_t bytes = 0;
  std::int64_t peer = -1;  // as in CallFacts
  std::int64_t issue_ns = 0;
};

// `known` knows the group; one that it does not know has no name.
OperationSummary summarize(OpId op, const CallFacts& call, std::uint64_t seq,
                           std::int64_t issue_ns, const ChunkBuilder& known);

}  // namespace traced
