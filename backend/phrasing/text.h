// Formats numbers, names and sentences for people.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/number_text.h"  // IWYU pragma: export
#include "base/utf8.h"         // IWYU pragma: export

namespace traced {

// Returns three significant digits: "412", "19.8", "3.91", "0.412"; "<0.001"
// for smaller values.
std::string threeDigits(double number);
// Converts nanoseconds to milliseconds with three significant digits, without
// the unit.
std::string millisecondsText(double ns);
// Returns "00:12:41"; durations below a minute as "12.345 s". `ns` is in
// nanoseconds.
std::string durationText(std::uint64_t ns);
// Returns a fraction as a percentage: 0.174 becomes "17.4 %".
std::string percentText(double part);
// Returns a range of percentages from fractions, separated by `between`: "0.7
// to 19.3 %". Returns one figure if both ends round to the same text.
std::string percentRange(double from, double to, std::string_view between);
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
