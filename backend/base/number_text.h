// Numbers with units, for people.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace traced {

// Returns the number with grouped digits: "118 204".
std::string groupedText(std::uint64_t number);
// Returns a size with a binary unit: "238 GiB".
std::string bytesText(std::uint64_t bytes);
// Returns a count with its noun: "1 rank", "2 ranks".
std::string countOf(std::uint64_t count, std::string_view noun);
// Returns a number with so many digits after the point.
std::string fixedText(double number, int digits);
// Returns at most this many significant digits: "-0.0413", "6.5e+04".
std::string significantText(double number, int digits);

}  // namespace traced
