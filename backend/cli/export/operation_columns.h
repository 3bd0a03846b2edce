// The columns of the table "operations". In CSV and JSON lines, columns are
// only ever added, at the end.

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

// An operation with what its columns are computed from. Valid as long as the
// table, the catalog and the clock.
struct ExportedCall {
  const StreamTable& table;
  const AssembledOperation& op;
  // nullptr if the call is unknown.
  const v1::Call* call;
  // Label of its group, the same on all ranks; "-" without a group.
  const std::string& group;
  std::uint32_t group_size;
  // Input of the group's correlation ids; 0 if unknown.
  std::uint64_t group_hash;
  const ClockCursor& clock;
  // Time at which the rank was ready for it. Unknown in rows.
  Instant ready = {};
};

// Returns the operation with what its columns need. `indices` and `hashes`:
// catalog index and groupHashes() value of each of the stream's groups.
// `ready`: when the rank was ready, on the stream's clock; unknown by default.
ExportedCall exportedCall(const StreamTable& table,
                          const AssembledOperation& op,
                          const GroupCatalog& groups,
                          const std::vector<std::uint32_t>& indices,
                          const std::vector<std::uint64_t>& hashes,
                          const ClockCursor& clock, Instant ready = {});

// A value that differs from operation to operation.
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

// Writes the digits of `number`, 20 at most, and nothing if it is absent.
// Returns the end of what it wrote.
char* writeDigits(char* to, const ExportNumber& number);

// The definition that a value depends on. The value is equal for all operations
// of a stream that share the definition.
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

// The forms that contain a column. Parquet stores ends as times since the
// issue, which compress better, and waits in a separate table.
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
  // Exactly one is set: `number` if each operation has a value of its own, else
  // `value`.
  CellValue (*value)(const ExportedCall&) = nullptr;
  ExportNumber (*number)(const ExportedCall&) = nullptr;
};

// Returns all columns: first those of rows, then those of Parquet only.
absl::Span<const ExportColumn> operationColumns();
// Returns the columns of row formats, such as CSV: those that are not only in
// Parquet.
absl::Span<const ExportColumn> exportColumns();
// Returns the column with this name, which must exist.
const ExportColumn& operationColumn(const char* name);
// Returns the descriptions of columns, in the same order.
std::vector<const ColumnInfo*> infosOf(absl::Span<const ExportColumn> columns);

}  // namespace traced
