// The columns of the table "operations". CSV and JSON lines only ever get new
// columns, at the end.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "analysis/job/group_catalog.h"
#include "analysis/stream/clock_cursor.h"
#include "analysis/stream/stream_table.h"
#include "cli/export/columns.h"

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
  // When the rank was ready for it; unknown in rows.
  Instant ready = {};
};

// Returns an operation with its group. `indices` are those of the stream's
// groups in the catalog, `hashes` make correlation ids.
ExportedCall exportedCall(const StreamTable& table,
                          const AssembledOperation& op,
                          const GroupCatalog& groups,
                          const std::vector<std::uint32_t>& indices,
                          const std::vector<std::uint64_t>& hashes,
                          const ClockCursor& clock, Instant ready = {});

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
enum class FieldSource : std::uint8_t {
  kOperation,
  kStream,
  kCall,
  kContext,
  kStack,
  kThread,
  kState,
  kEndSource,
  kEndBound,
  kError,
  kAlgorithm,
  kProtocol,
};

// Returns the id of the value that a cell of `call` depends on; see
// FieldSource.
std::uint32_t idOfSource(FieldSource source, const ExportedCall& call);

// Which form has a column. Parquet stores ends as times after the issue, which
// take less space, and waits in a table of their own.
enum class ColumnIn : std::uint8_t { kBoth, kRows, kParquet };

struct ExportColumn : ColumnInfo {
  constexpr ExportColumn(const ColumnInfo& info, FieldSource by,
                         CellValue (*its_value)(const ExportedCall&),
                         ColumnIn its_in = ColumnIn::kBoth)
      : ColumnInfo(info), source(by), in(its_in), value(its_value) {}
  constexpr ExportColumn(const ColumnInfo& info,
                         ExportNumber (*its_number)(const ExportedCall&),
                         ColumnIn its_in = ColumnIn::kBoth)
      : ColumnInfo(info),
        source(FieldSource::kOperation),
        in(its_in),
        number(its_number) {}

  FieldSource source;
  ColumnIn in;
  // Exactly one is set: `number` where each operation has a value of its own.
  CellValue (*value)(const ExportedCall&) = nullptr;
  ExportNumber (*number)(const ExportedCall&) = nullptr;
};

// Returns all columns: first those of rows, then those of Parquet only.
absl::Span<const ExportColumn> operationColumns();
// Returns the columns of rows.
absl::Span<const ExportColumn> exportColumns();
const ExportColumn& operationColumn(const char* name);
std::vector<const ColumnInfo*> infosOf(absl::Span<const ExportColumn> columns);

}  // namespace traced
