// Numbers, names and sentences as people read them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace traced {

// A name from a trace, safe for a terminal: what isUnprintable() holds, and
// bytes that are no valid UTF-8, become "?".
std::string printable(std::string_view text);

// 118204 is "118 204".
std::string groupedText(std::uint64_t number);
// Three digits: "412", "19.8", "3.91", "0.412", and "<0.001" for less.
std::string threeDigits(double number);
// Nanoseconds in milliseconds, three digits.
std::string millisecondsText(double ns);
// "238 GiB".
std::string bytesText(std::uint64_t bytes);
// "00:12:41"; below a minute "12.345 s".
std::string durationText(std::uint64_t ns);
// 0.174 is "17.4 %".
std::string percentText(double part);
// "0.7 to 19.3 %", or one figure where both are written alike.
std::string percentRange(double from, double to, std::string_view between);
// "1 rank", "2 ranks".
std::string countOf(std::uint64_t count, std::string_view noun);

inline constexpr std::size_t kScreenColumns = 100;

// `text`, which is safe for a terminal, behind `first`; the lines after the
// first begin with as many spaces. A word that is longer than a line has one of
// its own. Ends in a newline.
std::string wrapped(std::string_view first, std::string_view text,
                    std::size_t columns = kScreenColumns);

// Each line of a text that has more columns, broken; what follows stands under
// its beginning.
std::string wrappedLines(std::string_view text, std::size_t columns);

// Returns a word of a command, quoted unless a shell takes it as it is.
std::string shellWord(const std::string& word);

}  // namespace traced
