// Escapes texts and builds tables for a page, so that a name from a trace
// becomes neither markup nor script.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/common/json.h"

namespace traced {

// Returns `text`, escaped for use between tags and in quoted attributes. What
// printable() replaces becomes "?".
std::string htmlText(std::string_view text);

// Returns JSON on one line that is safe inside a <script>: it contains no tag
// and no comment.
std::string scriptJson(const Json& json);

// HtmlTable is a table that is readable without scripts.
class HtmlTable {
 public:
  enum class Kind { kText, kNumber };

  // The page's script finds the table by `name`.
  explicit HtmlTable(std::string name) : name_(std::move(name)) {}

  void addColumn(std::string heading, Kind kind = Kind::kNumber);
  // Adds a row of as many cells as there are columns, as text. Beyond kMax
  // rows, only counts them. `is_named`: highlights a rank that a verdict names.
  void addRow(const std::vector<std::string>& cells, bool is_named = false);
  // Returns whether further rows would only be counted.
  bool isFull() const { return rows_ >= kMax; }

  // Returns the table, with a note about rows that were only counted; ""
  // without rows.
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
