#include "phrasing/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace traced {
namespace {

// Counts columns as most terminals do: one per UTF-8 character.
std::size_t columnsOf(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string threeDigits(double number) {
  if (number >= 99.95) {
    return groupedText(static_cast<std::uint64_t>(std::round(number)));
  }
  if (number >= 9.995) return absl::StrFormat("%.1f", number);
  if (number >= 0.9995) return absl::StrFormat("%.2f", number);
  if (number > 0 && number < 0.0005) return "<0.001";
  return absl::StrFormat("%.3f", number);
}

std::string millisecondsText(double ns) { return threeDigits(ns / 1e6); }

std::string durationText(std::uint64_t ns) {
  const std::uint64_t seconds = ns / 1'000'000'000;
  if (seconds < 60) {
    return absl::StrFormat("%.3f s", static_cast<double>(ns) / 1e9);
  }
  return absl::StrFormat("%02d:%02d:%02d", seconds / 3600, seconds / 60 % 60,
                         seconds % 60);
}

std::string percentText(double part) {
  return absl::StrFormat("%.1f %%", 100 * part);
}

std::string percentRange(double from, double to, std::string_view between) {
  const std::string low = absl::StrFormat("%.1f", 100 * from);
  std::string high = percentText(to);
  if (low + " %" == high) return high;
  return absl::StrCat(low, absl::string_view(between.data(), between.size()),
                      high);
}

std::string wrapped(std::string_view first, std::string_view text,
                    std::size_t columns) {
  std::string lines(first);
  const std::size_t indent = columnsOf(first);
  std::size_t used = indent;
  bool begins = true;
  for (const absl::string_view split :
       absl::StrSplit(absl::string_view(text.data(), text.size()), ' ',
                      absl::SkipEmpty())) {
    const std::string_view word(split.data(), split.size());
    const std::size_t wide = columnsOf(word);
    if (!begins && used + 1 + wide > columns) {
      lines += '\n';
      lines.append(indent, ' ');
      used = indent;
      begins = true;
    }
    if (!begins) lines += ' ';
    used += wide + (begins ? 0 : 1);
    lines += word;
    begins = false;
  }
  return lines + "\n";
}

std::string wrappedLines(std::string_view text, std::size_t columns) {
  std::string all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (columnsOf(line) <= columns) {
      all.append(line).append("\n");
      continue;
    }
    const std::size_t indent = std::min(line.find_first_not_of(' '), end);
    all += wrapped(line.substr(0, indent), line.substr(indent), columns);
  }
  return all;
}

std::string shellWord(const std::string& word) {
  const bool is_plain =
      !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
               std::string_view("/._-+=:@%").find(c) != std::string_view::npos;
      });
  if (is_plain) return word;
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

}  // namespace traced
