// Table lines up text in columns.

#pragma once

#include <string>
#include <vector>

namespace traced {

class Table {
 public:
  enum class Align { kLeft, kRight };

  // A heading may have two lines, separated by "\n". An upper line also stands
  // above the columns that follow and whose own is empty ("\nlower").
  void addColumn(std::string heading, Align align = Align::kRight);
  // As many cells as there are columns.
  void addRow(std::vector<std::string> cells);

  // Every line ends in a newline and none in spaces.
  std::string text() const;

 private:
  struct Column {
    std::string upper;
    std::string lower;
    Align align;
    bool under_the_last;  // whose upper line it stands under
  };

  // Columns from `first` that stand under one upper line, past the last.
  std::size_t endOfSpan(std::size_t first) const;
  std::vector<std::size_t> widths() const;
  std::string upperLine(const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace traced
