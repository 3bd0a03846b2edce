#include "cli/common/wrap.h"

#include <algorithm>

#include "absl/strings/str_split.h"

namespace traced {
namespace {

// As most terminals count them: one for each character of UTF-8.
std::size_t columnsOf(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

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

}  // namespace traced
