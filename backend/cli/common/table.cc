#include "cli/common/table.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "analysis/figures/samples.h"
#include "cli/common/terminal.h"
#include "phrasing/text.h"

namespace traced {
namespace {

// Returns the width of UTF-8 text. Continuation bytes take no column.
std::size_t widthOf(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(),
                    [](char byte) { return (byte & 0xC0) != 0x80; }));
}

constexpr const char* kGap = "  ";

// Returns the width of columns [first, end) with the gaps between them.
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

// Minimum width of a cut text.
constexpr std::size_t kMinCut = 24;

// Returns the first columns of a text that is too wide, and "...".
std::string firstOf(const std::string& text, std::size_t columns) {
  if (widthOf(text) <= columns) return text;
  std::size_t end = 0;
  for (std::size_t wide = 0; end < text.size(); ++end) {
    const bool begins = (text[end] & 0xC0) != 0x80;
    if (begins && wide++ == columns - 3) break;
  }
  return text.substr(0, end) + "...";
}

// Returns "..." and the last columns of a text that is too wide. The end of a
// path or module name is the most specific part.
std::string lastOf(const std::string& text, std::size_t columns) {
  std::size_t wide = widthOf(text);
  if (wide <= columns) return text;
  std::size_t at = 0;
  for (; wide > columns - 3; --wide) {
    do {
      ++at;
    } while (at < text.size() && (text[at] & 0xC0) == 0x80);
  }
  return "..." + text.substr(at);
}

}  // namespace

void Table::addColumn(std::string heading, Align align, Cut cut) {
  const std::size_t end = heading.find('\n');
  if (end == std::string::npos) {
    columns_.push_back({"", std::move(heading), align, cut, false});
  } else {
    columns_.push_back({heading.substr(0, end), heading.substr(end + 1), align,
                        cut, end == 0});
  }
}

void Table::addRow(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

void Table::addNote(std::string_view lines) { notes_[rows_.size()] += lines; }

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

std::size_t Table::width() const {
  const std::vector<std::size_t> widths = this->widths();
  return 1 + spanWidth(widths, 0, widths.size());
}

std::size_t Table::headingLines() const {
  const auto has_upper = [](const Column& column) {
    return !column.upper.empty();
  };
  return std::any_of(columns_.begin(), columns_.end(), has_upper) ? 2 : 1;
}

std::vector<std::string> Table::fit(
    std::size_t columns, const std::vector<std::string>& first_to_go) {
  std::vector<std::string> removed;
  for (const std::string& heading : first_to_go) {
    if (width() <= columns) return removed;
    if (remove(heading)) removed.push_back(heading);
  }
  const std::size_t wide = width();
  if (wide > columns) cutTexts(wide - columns);
  return removed;
}

bool Table::remove(const std::string& heading) {
  for (std::size_t i = 0; i < columns_.size(); i = endOfSpan(i)) {
    const Column& column = columns_[i];
    const std::string& name =
        column.upper.empty() ? column.lower : column.upper;
    if (name != heading) continue;
    const auto first = static_cast<std::ptrdiff_t>(i);
    const auto end = static_cast<std::ptrdiff_t>(endOfSpan(i));
    for (auto& row : rows_) row.erase(row.begin() + first, row.begin() + end);
    columns_.erase(columns_.begin() + first, columns_.begin() + end);
    return true;
  }
  return false;
}

void Table::cutTexts(std::size_t too_many) {
  while (too_many > 0) {
    // Cuts the widest text column.
    const std::vector<std::size_t> widths = this->widths();
    std::size_t widest = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].align == Align::kRight) continue;
      if (columns_[i].cut == Cut::kNothing) continue;
      if (widest == columns_.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == columns_.size() || widths[widest] <= kMinCut) return;
    const std::size_t take =
        std::min(too_many, (widths[widest] - kMinCut + 1) / 2);
    for (auto& row : rows_) {
      const std::size_t room = widths[widest] - take;
      row[widest] = columns_[widest].cut == Cut::kEnd
                        ? firstOf(row[widest], room)
                        : lastOf(row[widest], room);
    }
    too_many -= take;
  }
}

std::string Table::text(bool colours) const {
  const std::vector<std::size_t> widths = this->widths();
  std::string text;
  const auto addLine = [&](std::string line, bool of_heading) {
    line.resize(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, bold(line, colours && of_heading), "\n");
  };
  const auto lineOf = [&](auto cellOf) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      absl::StrAppend(&line, i ? kGap : " ",
                      padded(cellOf(i), widths[i], columns_[i].align));
    }
    return line;
  };
  if (headingLines() == 2) addLine(upperLine(widths), true);
  addLine(lineOf([&](std::size_t i) { return columns_[i].lower; }), true);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    addLine(lineOf([&](std::size_t i) { return rows_[row][i]; }), false);
    const auto note = notes_.find(row + 1);
    if (note != notes_.end()) text += note->second;
  }
  return text;
}

std::string totalCell(const TimeSum& time, std::uint64_t not_seen) {
  if (time.count == 0) return "-";
  return (not_seen > 0 ? ">=" : "") +
         millisecondsText(static_cast<double>(time.total_ns));
}

}  // namespace traced
