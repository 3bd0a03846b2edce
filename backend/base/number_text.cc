#include "base/number_text.h"

#include <array>
#include <cstddef>
#include <cstdio>

namespace traced {
namespace {

std::string formatted(const char* format, int digits, double number) {
  // The largest double has 309 digits before the point.
  std::array<char, 400> text;
  std::snprintf(text.data(), text.size(), format, digits, number);
  return text.data();
}

}  // namespace

std::string groupedText(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, " ");
  return digits;
}

std::string bytesText(std::uint64_t bytes) {
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1023.5 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fixedText(value, value < 9.95 ? 1 : 0) + " " + kUnits[unit];
}

std::string countOf(std::uint64_t count, std::string_view noun) {
  std::string text = groupedText(count) + " ";
  text += noun;
  return count == 1 ? text : text + "s";
}

std::string fixedText(double number, int digits) {
  return formatted("%.*f", digits, number);
}

std::string significantText(double number, int digits) {
  return formatted("%.*g", digits, number);
}

}  // namespace traced
