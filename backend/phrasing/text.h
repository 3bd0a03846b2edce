// Formats numbers, names and sentences for people.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace traced {

// Returns a name from a trace, made safe for a terminal. Each character that
// isUnprintable() holds, and each invalid UTF-8 byte, becomes "?".
std::string printable(std::string_view text);

// Returns the number with grouped digits: "118 204".
std::string groupedText(std::uint64_t number);
// Returns three significant digits: "412", "19.8", "3.91", "0.412"; "<0.001"
// for smaller values.
std::string threeDigits(double number);
// Converts nanoseconds to milliseconds with three significant digits, without
// the unit.
std::string millisecondsText(double ns);
// Returns a size with a binary unit: "238 GiB".
std::string bytesText(std::uint64_t bytes);
// Returns "00:12:41"; durations below a minute as "12.345 s". `ns` is in
// nanoseconds.
std::string durationText(std::uint64_t ns);
// Returns a fraction as a percentage: 0.174 becomes "17.4 %".
std::string percentText(double part);
// Returns a range of percentages from fractions, separated by `between`: "0.7
// to 19.3 %". Returns one figure if both ends round to the same text.
std::string percentRange(double from, double to, std::string_view between);
// Returns a count with its noun: "1 rank", "2 ranks".
std::string countOf(std::uint64_t count, std::string_view noun);

inline constexpr std::size_t kScreenColumns = 100;

// Wraps `text` after the prefix `first`. Later lines are indented by the width
// of `first`. A word longer than a line gets a line of its own. The result ends
// in a newline. `text` must be safe for a terminal.
std::string wrapped(std::string_view first, std::string_view text,
                    std::size_t columns = kScreenColumns);

// Wraps each line that is wider than `columns`, and keeps its indentation on
// the continuation lines.
std::string wrappedLines(std::string_view text, std::size_t columns);

// Returns a shell word, quoted only if a shell would change it.
std::string shellWord(const std::string& word);

}  // namespace traced
