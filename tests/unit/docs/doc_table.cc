#include "doc_table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace traced::testing {
namespace {

DocRow cellsOf(absl::string_view line) {
  DocRow row;
  line.remove_prefix(1);
  if (absl::EndsWith(line, "|")) line.remove_suffix(1);
  for (const absl::string_view cell : absl::StrSplit(line, '|')) {
    row.emplace_back(absl::StripAsciiWhitespace(cell));
  }
  return row;
}

std::vector<DocRow> rowsFrom(const std::vector<std::string>& lines,
                             std::size_t at) {
  std::vector<DocRow> rows;
  // Skip the column names and the line below them.
  for (at += 2; at < lines.size() && absl::StartsWith(lines[at], "|"); ++at) {
    rows.push_back(cellsOf(lines[at]));
  }
  return rows;
}

std::vector<std::string> linesOf(const std::string& page) {
  return absl::StrSplit(textOfPage(page), '\n');
}

}  // namespace

std::string textOfPage(const std::string& page) {
  std::ifstream file(std::string(TRACED_DOCS) + "/" + page);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << page;
  return text.str();
}

std::vector<DocRow> tableBehind(const std::string& page,
                                const std::string& heading) {
  const std::vector<std::string> lines = linesOf(page);
  bool found = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (absl::StartsWith(lines[i], "#")) {
      found = absl::EndsWith(lines[i], "# " + heading);
    } else if (found && absl::StartsWith(lines[i], "|")) {
      return rowsFrom(lines, i);
    }
  }
  ADD_FAILURE() << page << " has no table behind \"" << heading << "\"";
  return {};
}

std::vector<DocRow> tableOf(const std::string& page,
                            const std::string& columns) {
  const std::vector<std::string> lines = linesOf(page);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i] == "| " + columns + " |") return rowsFrom(lines, i);
  }
  ADD_FAILURE() << page << " has no table \"" << columns << "\"";
  return {};
}

std::vector<std::string> quotedIn(const std::string& text) {
  std::vector<std::string> quoted;
  const std::vector<std::string> parts = absl::StrSplit(text, '`');
  for (std::size_t i = 1; i < parts.size(); i += 2) quoted.push_back(parts[i]);
  return quoted;
}

}  // namespace traced::testing
