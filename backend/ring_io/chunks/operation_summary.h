// Names and summarizes operations, for messages of a running process.

#pragma once

#include <cstdint>
#include <string>

#include "base/operation.h"
#include "ring_io/chunks/chunk_builder.h"
#include "ring_io/ring/record.h"

namespace traced {

// Returns the name of an operation in a trace, such as "all_reduce". Returns
// "operation" for an unknown value.
const char* operationName(Operation op) noexcept;

// The facts about a call that messages show.
struct CallFacts {
  Operation operation{};
  std::uint32_t group = 0;
  // The larger of input and output bytes.
  std::uint64_t bytes = 0;
  std::int64_t peer = -1;  // global rank; -1: none, or any
};

CallFacts factsOf(const v1::Call& call);

// A single operation, as messages of a running process show it.
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

// Returns the summary of an operation. `known` provides the group's name, which
// is empty if the group is unknown.
OperationSummary summarize(OpId op, const CallFacts& call, std::uint64_t seq,
                           std::int64_t issue_ns, const ChunkBuilder& known);

}  // namespace traced
