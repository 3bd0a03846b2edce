// Parses and formats the values of settings: numbers, sizes, switches and
// times.
//
// Each parse function returns nullopt if the whole text is not a valid value.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace traced {

inline constexpr const char* kSwitchValues = "0 or 1";

bool isControl(char c);

// Returns whether the text is a single path component of at most 128 bytes
// without control characters.
bool isJobName(const std::string& text);

std::optional<std::uint64_t> parseNumber(const std::string& text);

// Parses a number of bytes with an optional suffix K, M, G or T (powers of
// 1024).
std::optional<std::uint64_t> parseBytes(std::string text);

// Parses a switch such as 1, on or false, in any case.
std::optional<bool> parseSwitch(std::string value);

// Parses a time such as "480s" or "0.5s". Returns nanoseconds.
std::optional<std::int64_t> parseSeconds(const std::string& text);
// Formats a time as "480s" or "0.5s".
std::string lengthText(std::int64_t ns);

}  // namespace traced
