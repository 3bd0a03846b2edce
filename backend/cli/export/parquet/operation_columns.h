// The columns of the table "operations", which docs/tables.md describes.

#pragma once

#include <cstdint>
#include <string_view>

#include "cli/export/parquet/exported_operation.h"
#include "cli/export/parquet/table_file.h"

namespace traced {

// In its order: by group, number and rank.
const TableSpec& operationTable();

// A column that an export of rows does not have, or has as an instant: the
// ends of operations take less room as times after their issue.
struct OwnTableColumn {
  const char* name;
  std::int64_t (*value)(const ExportedOperation&);
};

// What tells a column: that of an export of rows, or one of the table's own.
// nullptr where it is not told so.
const ExportColumn* exportColumn(std::string_view name);
const OwnTableColumn* ownTableColumn(const char* name);

// What a number says, or kNoValue.
std::int64_t tableNumber(const ExportNumber& number);
// The same of a value; a text by its number in `column`.
std::int64_t tableValue(const ExportValue& value, TableColumn& column);

// The words of "end_bound", by their numbers.
void addEndBounds(TableColumn& column);

}  // namespace traced
