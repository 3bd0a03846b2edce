// Table lines up text in columns.

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
  // What a text loses where a line has no room for all of it.
  enum class Cut { kBeginning, kEnd, kNothing };

  // A heading may have two lines, separated by "\n". An upper line also stands
  // above the columns that follow and whose own is empty ("\nlower").
  void addColumn(std::string heading, Align align = Align::kRight,
                 Cut cut = Cut::kBeginning);
  // As many cells as there are columns.
  void addRow(std::vector<std::string> cells);
  // Adds whole lines below the last row. They do not count for the width.
  void addNote(std::string_view lines);

  // Leaves columns out until a line has at most `columns`: those whose heading
  // (its upper line, where it has two) is in `first_to_go`, in that order. What
  // is still too wide then are texts, which are cut. Returns which headings
  // were left out.
  std::vector<std::string> fit(std::size_t columns,
                               const std::vector<std::string>& first_to_go);

  // Every line ends in a newline and none in spaces. With colours, headings are
  // bold.
  std::string text(bool colours = false) const;
  std::size_t width() const;
  // How many lines are headings.
  std::size_t headingLines() const;

 private:
  struct Column {
    std::string upper;
    std::string lower;
    Align align;
    Cut cut;
    bool under_the_last;  // whose upper line it stands under
  };

  // Columns from `first` that stand under one upper line, past the last.
  std::size_t endOfSpan(std::size_t first) const;
  std::vector<std::size_t> widths() const;
  std::string upperLine(const std::vector<std::size_t>& widths) const;
  bool remove(const std::string& heading);
  void cutTexts(std::size_t too_many);

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  // By the number of rows above.
  absl::btree_map<std::size_t, std::string> notes_;
};

// Returns a cell with milliseconds: "-" where there is none, ">=412" where
// `not_seen` more are not in it.
std::string totalCell(const TimeSum& time, std::uint64_t not_seen = 0);

}  // namespace traced
