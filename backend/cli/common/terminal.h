// What the screen is like that text goes to.

#pragma once

#include <cstddef>
#include <string>

namespace traced {

// Longer tables leave out the rows that matter least.
inline constexpr std::size_t kScreenRows = 30;

// How many columns a line of text on standard output has: those of the
// terminal, or what COLUMNS says, but at least 100.
std::size_t screenColumns();

// Standard output is a terminal that shows colours, and nobody asked for none
// (NO_COLOR).
bool wantsColours();

// Text that a terminal shows so; as it is where colours are not wanted.
std::string bold(const std::string& text, bool colours);
std::string red(const std::string& text, bool colours);
std::string yellow(const std::string& text, bool colours);

}  // namespace traced
