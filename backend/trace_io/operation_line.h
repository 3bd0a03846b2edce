// The line of text that describes one operation of a rank, in `tracectl export
// --format text` and with TRACED_PRINT=done.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trace_io/tensor_summary.h"
#include "traced/v1/clock.pb.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

struct OperationLine {
  // "[BATCH]"; "" for that of the operation, such as "[TRACE]".
  std::string kind;
  std::uint32_t rank = 0;
  // Since the process began to record.
  std::int64_t issued_ns = 0;
  std::optional<std::uint64_t> step;
  std::string operation;
  std::uint64_t seq = 0;  // 0: unknown
  std::string group;
  std::uint32_t group_size = 0;
  std::string members;  // global ranks; "" if unknown
  // nullptr if unknown.
  const v1::Call* call = nullptr;
  // Describes the operation's parts in place of its tensors; "" if it has none.
  std::string parts;
  // The coalesced batch that it belongs to; 0: none.
  std::uint64_t batch = 0;
  // How often the rank made a call of this shape, this one included. 0:
  // unknown.
  std::uint64_t count = 0;

  // Durations in nanoseconds, as far as they are known: of the call, from the
  // issue to the end, from the start to the end, and in the wait.
  std::optional<std::int64_t> host_ns;
  std::optional<std::int64_t> end_ns;
  std::optional<std::int64_t> ran_ns;
  std::optional<std::int64_t> waited_ns;
  v1::EndSource end_source = v1::END_SOURCE_UNSPECIFIED;

  TensorSummary inputs;
  TensorSummary outputs;
  bool failed = false;
  std::string error;  // "" if unknown

  // Returns the line without a newline. Names in it are not made safe for a
  // terminal.
  std::string text() const;
};

// Returns how a line begins: "[TRACE] rank 0 +1.234567 s".
std::string lineBegin(const std::string& kind, std::uint32_t rank,
                      std::int64_t since_start_ns);

// Returns the size as text. From 1 MiB on, it keeps the hundredths that
// bytesText() drops.
std::string preciseSizeText(std::uint64_t bytes);

// Returns the larger of input and output, in bytes.
std::uint64_t largerSide(const v1::Call& call);

}  // namespace traced
