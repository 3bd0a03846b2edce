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

// What many operations share. std::monostate: absent.
using ExportValue = std::variant<std::monostate, bool, std::uint64_t,
                                 std::int64_t, std::string>;

// What is an operation's own.
struct ExportNumber {
  enum class Kind : std::uint8_t {
    kAbsent,
    kCount,
    kInstant,  // may be below 0
    kId,       // a text: 16 hexadecimal digits
  };
  Kind kind = Kind::kAbsent;
  std::uint64_t value = 0;
};

// Writes its digits, 20 at most, and none of what is absent; returns their end.
char* writeDigits(char* to, const ExportNumber& number);

// What a value is of: equal for all operations of a stream with the same one.
enum class ToldBy : std::uint8_t {
  kOperation,
  kStream,
  kCall,
  kContext,
  kStack,
  kThread,
  kState,
  kEndSource,
  kError,
  kAlgorithm,
  kProtocol,
};

struct ExportColumn {
  constexpr ExportColumn(const char* its_name, ToldBy by,
                         ExportValue (*its_value)(const ExportedCall&))
      : name(its_name), told_by(by), value(its_value) {}
  constexpr ExportColumn(const char* its_name,
                         ExportNumber (*its_number)(const ExportedCall&))
      : name(its_name), told_by(ToldBy::kOperation), number(its_number) {}

  const char* name;
  ToldBy told_by;
  // One of them: `number` of what is told by the operation.
  ExportValue (*value)(const ExportedCall&) = nullptr;
  ExportNumber (*number)(const ExportedCall&) = nullptr;
};

absl::Span<const ExportColumn> exportColumns();

}  // namespace traced
