// Table lines up text in columns.

#pragma once

#include <string>
#include <vector>

namespace traced {

class Table {
 public:
  enum class Align { kLeft, kRight };

  // A heading may have two lines, separated by "\n".
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
  };

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace traced
