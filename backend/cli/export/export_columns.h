// The columns of an export: what a row says of one operation. They are
// described in docs/cli.md and only ever added to, at the end.

#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "absl/types/span.h"
#include "analysis/stream/clock_cursor.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// An operation and what is needed to speak of it.
struct ExportedCall {
  const StreamTable& table;
  const AssembledOperation& op;
  // nullptr when it is not known.
  const v1::Call* call;
  // Of its group, as all ranks call it; "-" without one.
  const std::string& group;
  std::uint32_t group_size;
  // What its correlation ids are made from; 0: nothing.
  std::uint64_t group_hash;
  const ClockCursor& clock;
};

// std::monostate: absent.
using ExportValue = std::variant<std::monostate, bool, std::uint64_t,
                                 std::int64_t, std::string>;

// What a value is of: equal for all operations of a stream with the same one.
enum class ToldBy : std::uint8_t {
  kOperation,
  kStream,
  kCall,
  kContext,
  kStack,
  kThread,
};

struct ExportColumn {
  const char* name;
  ToldBy told_by;
  ExportValue (*value)(const ExportedCall&);
};

absl::Span<const ExportColumn> exportColumns();

}  // namespace traced
