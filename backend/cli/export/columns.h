// The columns of all tables that tracectl writes. Each name is described once
// and has one meaning in CSV, JSON lines, Parquet and traced.load.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/types/span.h"

namespace traced {

enum class ColumnKind : std::uint8_t {
  kNumber,
  kBytes,
  kInstant,  // nanoseconds on the common time line
  kTime,     // nanoseconds on the rank's own clock
  kFlag,
  kText,
  kReal,  // a finite number
  kId,    // 16 hexadecimal digits; in Parquet the same 64 bits as a number
};

// Value of ColumnInfo::repeats: most rows have one of a few values.
inline constexpr bool kRepeats = true;

struct ColumnInfo {
  const char* name;
  ColumnKind kind;
  // One line of Markdown.
  const char* meaning;
  // The case in which a value is absent; "" means never.
  const char* absent = "";
  bool repeats = false;
};

// Returns the kind's name, as `tracectl export --columns` prints it.
const char* nameOf(ColumnKind kind);

// Returns the columns that are not in operation_columns.cc.
absl::Span<const ColumnInfo> otherColumns();
// Returns the column of that name, which must exist.
const ColumnInfo& columnInfo(const char* name);

// The value of a cell; std::monostate means absent.
using CellValue = std::variant<std::monostate, bool, std::uint64_t,
                               std::int64_t, double, std::string>;

// Return a count; absent if `count` is.
inline CellValue countCell(std::uint64_t count) { return count; }
inline CellValue countCell(const std::optional<std::uint64_t>& count) {
  return count ? CellValue(*count) : CellValue();
}
// Returns a count; 0 means absent.
inline CellValue countUnlessZero(std::uint64_t count) {
  return count == 0 ? CellValue() : CellValue(count);
}
// Returns a count that is stored plus 1; 0 means absent.
inline CellValue countLessOne(std::uint64_t count_plus_1) {
  return count_plus_1 == 0 ? CellValue() : CellValue(count_plus_1 - 1);
}
// Returns a text; "" and "-" mean absent.
inline CellValue textCell(std::string text) {
  return text.empty() || text == "-" ? CellValue() : CellValue(std::move(text));
}
// Returns a number; absent if `number` is.
inline CellValue numberCell(const std::optional<std::int64_t>& number) {
  return number ? CellValue(*number) : CellValue();
}

struct TableSpec {
  const char* name;
  // Describes what a row represents.
  const char* row;
  std::vector<const ColumnInfo*> columns;
  // The rows of a file are sorted by these columns.
  std::vector<const char*> order;
};

// A table whose cells are each computed from a Row.
template <typename Row>
struct TableOf {
  struct Column {
    const char* name;
    CellValue (*value)(const Row&);
  };

  TableOf(const char* name, const char* row, std::vector<Column> its_columns,
          std::vector<const char*> order)
      : spec{name, row, {}, std::move(order)}, columns(std::move(its_columns)) {
    for (const Column& column : columns) {
      spec.columns.push_back(&columnInfo(column.name));
    }
  }

  TableSpec spec;
  std::vector<Column> columns;
};

}  // namespace traced
