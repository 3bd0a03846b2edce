// Reads and writes cells of CSV (RFC 4180).

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace traced {

// Returns a cell, quoted if it needs quotes.
inline std::string csvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

// Splits a line into its cells. Reads at most `most` cells.
inline std::vector<std::string> splitCsv(std::string_view line,
                                         std::size_t most) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      // A quote inside a quoted cell is doubled.
      if (!quoted && i > 0 && line[i - 1] == '"') cells.back() += '"';
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      if (cells.size() == most) break;
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

}  // namespace traced
