// What settings are made of: numbers, sizes, switches, times.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace traced {

inline constexpr const char* kSwitchValues = "0 or 1";

bool isControl(char c);

// Of at most 128 bytes, and no path.
bool isJobName(const std::string& text);

std::optional<std::uint64_t> parseNumber(const std::string& text);

// A number of bytes, with an optional suffix K, M, G or T (powers of 1024).
std::optional<std::uint64_t> parseBytes(std::string text);

// Whether a value means on or off, in any case.
std::optional<bool> parseSwitch(std::string value);

// A time such as 480s or 0.5s, in nanoseconds.
std::optional<std::int64_t> parseSeconds(const std::string& text);
// "480s", "0.5s".
std::string lengthText(std::int64_t ns);

}  // namespace traced
