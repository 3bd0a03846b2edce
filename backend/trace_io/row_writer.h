// Fills the row tables of a payload. rows.h reads them.

#pragma once

#include <type_traits>

#include "trace_io/row.h"
#include "trace_io/row_tables.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Adds a row to its table. Row is a type of AllRows. Until finishRows() the
// columns hold values, not differences.
template <typename Row>
void addRow(v1::Payload& payload, const Row& row) {
  auto& table = RowTable<Row>::of(payload);
  const int before = FirstColumn<Row>::of(table).size();
  forEachType(ColumnsOf<Row>(), [&]<typename Which>() {
    auto& cells = Which::of(table);
    const auto value = static_cast<typename Which::Value>(Which::of(row));
    constexpr bool kMayBeEmpty = Which::kCell == CellKind::kPlain ||
                                 Which::kCell == CellKind::kText ||
                                 Which::kCell == CellKind::kAfterCall;
    if (kMayBeEmpty && cells.empty()) {
      if (value == 0) return;
      cells.Resize(before, 0);
    }
    cells.Add(value);
  });
}

// Converts all columns to the encoding of trace.proto. Call it once, after the
// anchor is set and all rows are added.
void finishRows(v1::Payload& payload);

}  // namespace traced
