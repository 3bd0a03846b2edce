// Table aligns text in columns.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"

namespace traced {

struct TimeSum;

class Table {
 public:
  enum class Align { kLeft, kRight };
  // Which part of a text is cut if a line is too long.
  enum class Cut { kBeginning, kEnd, kNothing };

  // Adds a column. A heading may have two lines, separated by "\n". An empty
  // upper line ("\nlower") extends the previous upper line over this column.
  void addColumn(std::string heading, Align align = Align::kRight,
                 Cut cut = Cut::kBeginning);
  // Adds a row, which must have one cell per column.
  void addRow(std::vector<std::string> cells);
  // Adds whole lines below the last row. They do not count for the width.
  void addNote(std::string_view lines);

  // Shrinks the table until a line has at most `columns` columns. First removes
  // table columns by their heading (the upper line, if it has two), in the
  // order of `first_to_go`. Then cuts texts. Returns the removed headings.
  std::vector<std::string> fit(std::size_t columns,
                               const std::vector<std::string>& first_to_go);

  // Returns the table. Every line ends in a newline and has no trailing spaces.
  // With `colours`, headings are bold.
  std::string text(bool colours = false) const;
  // Returns the width of a line in terminal columns, without notes.
  std::size_t width() const;
  // Returns the number of heading lines.
  std::size_t headingLines() const;

 private:
  struct Column {
    std::string upper;
    std::string lower;
    Align align;
    Cut cut;
    bool under_the_last;  // shares the previous upper line
  };

  // Returns the end of the columns that share the upper line of `first`.
  std::size_t endOfSpan(std::size_t first) const;
  std::vector<std::size_t> widths() const;
  std::string upperLine(const std::vector<std::size_t>& widths) const;
  // Removes the columns under `heading`. Returns false if the table has none.
  bool remove(const std::string& heading);
  // Cuts left-aligned text columns, widest first, by `too_many` columns in all.
  // Cuts less if a text would become too short.
  void cutTexts(std::size_t too_many);

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  // Keyed by the number of rows above the note.
  absl::btree_map<std::size_t, std::string> notes_;
};

// Returns a cell in milliseconds: "-" without values, ">=412" if `not_seen`
// more values are missing from the sum.
std::string totalCell(const TimeSum& time, std::uint64_t not_seen = 0);

}  // namespace traced
