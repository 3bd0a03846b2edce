// Numbers and names as people read them.

#pragma once

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

}  // namespace traced
