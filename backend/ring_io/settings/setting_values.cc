#include "ring_io/settings/setting_values.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <initializer_list>
#include <iterator>
#include <system_error>

namespace traced {

bool isControl(char c) { return std::iscntrl(static_cast<unsigned char>(c)); }

bool isJobName(const std::string& text) {
  return !text.empty() && text.size() <= 128 && text != "." && text != ".." &&
         text.find('/') == std::string::npos &&
         std::none_of(text.begin(), text.end(), isControl);
}

std::optional<std::uint64_t> parseNumber(const std::string& text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> parseBytes(std::string text) {
  int shift = 0;
  if (!text.empty()) {
    const std::size_t unit = std::string("KMGT").find(static_cast<char>(
        std::toupper(static_cast<unsigned char>(text.back()))));
    if (unit != std::string::npos) {
      shift = 10 * (static_cast<int>(unit) + 1);
      text.pop_back();
    }
  }
  const auto number = parseNumber(text);
  if (!number || *number > (UINT64_MAX >> shift)) return std::nullopt;
  return *number << shift;
}

std::optional<bool> parseSwitch(std::string value) {
  std::transform(value.begin(), value.end(), value.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  const auto isOneOf = [&](std::initializer_list<const char*> words) {
    return std::find(words.begin(), words.end(), value) != words.end();
  };
  if (isOneOf({"1", "true", "yes", "on"})) return true;
  if (isOneOf({"0", "false", "no", "off"})) return false;
  return std::nullopt;
}

std::optional<std::int64_t> parseSeconds(const std::string& text) {
  constexpr double kMaxSeconds = 1e9;
  if (text.empty() || text.back() != 's') return std::nullopt;
  double seconds = 0;
  const char* end = text.data() + text.size() - 1;
  const auto [rest, error] =
      std::from_chars(text.data(), end, seconds, std::chars_format::fixed);
  const bool is_number = error == std::errc{} && rest == end;
  if (!is_number || !(seconds >= 0 && seconds <= kMaxSeconds)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(seconds * 1e9);
}

std::string lengthText(std::int64_t ns) {
  char text[64];
  const auto [end, error] =
      std::to_chars(std::begin(text), std::end(text),
                    static_cast<double>(ns) / 1e9, std::chars_format::fixed);
  return error == std::errc{} ? std::string(text, end) + "s" : "0s";
}

}  // namespace traced
