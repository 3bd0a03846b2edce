#include "cli/table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace traced {
namespace {

// How many columns UTF-8 text takes: continuation bytes take none.
std::size_t widthOf(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(),
                    [](char byte) { return (byte & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width,
                   Table::Align align) {
  const std::string space(width - std::min(width, widthOf(text)), ' ');
  return align == Table::Align::kLeft ? text + space : space + text;
}

}  // namespace

void Table::addColumn(std::string heading, Align align) {
  const std::size_t cut = heading.find('\n');
  if (cut == std::string::npos) {
    columns_.push_back({"", std::move(heading), align});
  } else {
    columns_.push_back(
        {heading.substr(0, cut), heading.substr(cut + 1), align});
  }
}

void Table::addRow(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::vector<std::string>> lines(2);
  for (const Column& column : columns_) {
    lines[0].push_back(column.upper);
    lines[1].push_back(column.lower);
  }
  const auto is_empty = [](const std::string& cell) { return cell.empty(); };
  if (std::all_of(lines[0].begin(), lines[0].end(), is_empty)) {
    lines.erase(lines.begin());
  }
  lines.insert(lines.end(), rows_.begin(), rows_.end());

  std::string text;
  std::vector<std::size_t> widths(columns_.size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], widthOf(line[i]));
    }
  }
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      absl::StrAppend(&row, i ? "  " : " ",
                      padded(line[i], widths[i], columns_[i].align));
    }
    absl::StrAppend(&text, row.substr(0, row.find_last_not_of(' ') + 1), "\n");
  }
  return text;
}

}  // namespace traced
