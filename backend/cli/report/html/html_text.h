// Texts and tables for a page. Whatever is in a trace stays text there: it
// becomes neither markup nor script.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/common/json.h"

namespace traced {

// Safe between tags, and in an attribute that stands in quotes. What a terminal
// must not be shown is "?" here, too.
std::string htmlText(std::string_view text);

// JSON that ends no <script> and starts no comment, on one line.
std::string scriptJson(const Json& json);

// HtmlTable is a table that is readable without scripts.
class HtmlTable {
 public:
  enum class Kind { kText, kNumber };

  // `name`: what the page's script knows it by.
  explicit HtmlTable(std::string name) : name_(std::move(name)) {}

  void addColumn(std::string heading, Kind kind = Kind::kNumber);
  // Adds a row of as many cells as there are columns, as text. Beyond kMax
  // rows, only counts them. `is_named`: highlights a rank that a verdict names.
  void addRow(const std::vector<std::string>& cells, bool is_named = false);
  // As many rows have room on a page.
  bool isFull() const { return rows_ >= kMax; }

  // "" without rows.
  std::string html() const;

  static constexpr std::size_t kMax = 1000;

 private:
  struct Column {
    std::string heading;
    Kind kind;
  };

  std::string name_;
  std::vector<Column> columns_;
  std::string body_;
  std::size_t rows_ = 0;
};

}  // namespace traced
