// ExportCells formats rows of an export. What a call, or where it was made,
// says of all its operations is formatted once.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "cli/export/export_columns.h"
#include "cli/export/row_text.h"

namespace traced {

// The id of what tells a value of a call; see ToldBy.
std::uint32_t idOfTeller(ToldBy told_by, const ExportedCall& call);

// Of the operations of one stream. Not thread safe.
class ExportCells {
 public:
  ExportCells();

  // Appends all cells of a row. `format.append(text, column, value)` appends
  // one, a value or a number, and tells of a value how many remarks there are
  // on it; returns their sum.
  template <typename Format>
  std::uint64_t appendRow(const ExportedCall& call, RowText& text,
                          const Format& format) {
    std::uint64_t remarks = 0;
    for (Run& run : runs_) {
      if (run.told_by == ToldBy::kOperation) {
        for (const ExportColumn& column : run.columns) {
          format.append(text, column, column.number(call));
        }
        continue;
      }
      Cells& cells = run.cellsOf(idOfTeller(run.told_by, call));
      if (!cells.made) make(run, call, format, cells);
      text.append(cells.text);
      remarks += cells.remarks;
    }
    return remarks;
  }

 private:
  struct Cells {
    bool made = false;
    RowText text;
    std::uint64_t remarks = 0;
  };
  // Columns that follow each other and are told by the same.
  struct Run {
    ToldBy told_by;
    absl::Span<const ExportColumn> columns;
    // By the id of what they are told by. Recorders count from 0 or 1.
    std::vector<Cells> small;
    absl::flat_hash_map<std::uint32_t, Cells> large;

    Cells& cellsOf(std::uint32_t id) {
      constexpr std::uint32_t kSmall = 1024;
      if (id < small.size()) return small[id];
      if (id >= kSmall) return large[id];
      small.resize(id + 1);
      return small[id];
    }
  };

  template <typename Format>
  static void make(const Run& run, const ExportedCall& call,
                   const Format& format, Cells& cells) {
    cells.made = true;
    for (const ExportColumn& column : run.columns) {
      cells.remarks += format.append(cells.text, column, column.value(call));
    }
  }

  std::vector<Run> runs_;
};

}  // namespace traced
