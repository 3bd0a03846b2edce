// ExportCells formats rows of an export. What a call, or where it was made,
// says of all its operations is formatted once.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "cli/export/export_columns.h"

namespace traced {

// Of the operations of one stream. Not thread safe.
class ExportCells {
 public:
  ExportCells();

  // Appends all cells of a row. `append(text, column, value)` appends one, and
  // tells how many remarks there are on it; returns their sum.
  template <typename Append>
  std::uint64_t appendRow(const ExportedCall& call, std::string& text,
                          const Append& append) {
    std::uint64_t remarks = 0;
    for (Run& run : runs_) {
      if (run.told_by == ToldBy::kOperation) {
        remarks += appendRun(run, call, text, append);
        continue;
      }
      const std::uint32_t id = idOf(run, call);
      if (!run.latest || run.latest_id != id) {
        const auto [place, is_new] = run.made.try_emplace(id);
        run.latest = &place->second;
        run.latest_id = id;
        if (is_new) {
          run.latest->remarks = appendRun(run, call, run.latest->text, append);
        }
      }
      text += run.latest->text;
      remarks += run.latest->remarks;
    }
    return remarks;
  }

 private:
  struct Cells {
    std::string text;
    std::uint64_t remarks = 0;
  };
  // Columns that follow each other and are told by the same.
  struct Run {
    ToldBy told_by;
    absl::Span<const ExportColumn> columns;
    absl::flat_hash_map<std::uint32_t, Cells> made;
    // Of the row before: mostly the next one's, too. In `made`.
    Cells* latest = nullptr;
    std::uint32_t latest_id = 0;
  };

  static std::uint32_t idOf(const Run& run, const ExportedCall& call);

  template <typename Append>
  static std::uint64_t appendRun(const Run& run, const ExportedCall& call,
                                 std::string& text, const Append& append) {
    std::uint64_t remarks = 0;
    for (const ExportColumn& column : run.columns) {
      remarks += append(text, column, column.value(call));
    }
    return remarks;
  }

  std::vector<Run> runs_;
};

}  // namespace traced
