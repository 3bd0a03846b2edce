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

constexpr const char* kGap = "  ";

// Of columns [first, end) and the gaps between them.
std::size_t spanWidth(const std::vector<std::size_t>& widths, std::size_t first,
                      std::size_t end) {
  std::size_t width = 2 * (end - first - 1);
  for (std::size_t i = first; i < end; ++i) width += widths[i];
  return width;
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
    columns_.push_back({"", std::move(heading), align, false});
  } else {
    columns_.push_back(
        {heading.substr(0, cut), heading.substr(cut + 1), align, cut == 0});
  }
}

void Table::addRow(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

std::size_t Table::endOfSpan(std::size_t first) const {
  std::size_t end = first + 1;
  while (end < columns_.size() && columns_[end].under_the_last) ++end;
  return end;
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = widthOf(columns_[i].lower);
    for (const auto& row : rows_) width = std::max(width, widthOf(row[i]));
    widths.push_back(width);
  }
  for (std::size_t i = 0; i < columns_.size(); i = endOfSpan(i)) {
    const std::size_t room = spanWidth(widths, i, endOfSpan(i));
    const std::size_t upper = widthOf(columns_[i].upper);
    if (upper > room) widths[i] += upper - room;
  }
  return widths;
}

std::string Table::upperLine(const std::vector<std::size_t>& widths) const {
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); i = endOfSpan(i)) {
    const std::size_t room = spanWidth(widths, i, endOfSpan(i));
    std::string upper = columns_[i].upper;
    const bool spans = endOfSpan(i) > i + 1;
    if (spans) upper.append((room - widthOf(upper)) / 2, ' ');  // centred
    absl::StrAppend(&line, i ? kGap : " ",
                    padded(upper, room, columns_[i].align));
  }
  return line;
}

std::string Table::text() const {
  const std::vector<std::size_t> widths = this->widths();
  std::vector<std::string> lines;
  const auto has_upper = [](const Column& column) {
    return !column.upper.empty();
  };
  if (std::any_of(columns_.begin(), columns_.end(), has_upper)) {
    lines.push_back(upperLine(widths));
  }
  const auto addLine = [&](auto cellOf) {
    std::string& line = lines.emplace_back();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      absl::StrAppend(&line, i ? kGap : " ",
                      padded(cellOf(i), widths[i], columns_[i].align));
    }
  };
  addLine([&](std::size_t i) { return columns_[i].lower; });
  for (const auto& row : rows_) {
    addLine([&](std::size_t i) { return row[i]; });
  }
  std::string text;
  for (const std::string& line : lines) {
    absl::StrAppend(&text, line.substr(0, line.find_last_not_of(' ') + 1),
                    "\n");
  }
  return text;
}

}  // namespace traced
