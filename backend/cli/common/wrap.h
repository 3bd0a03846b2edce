// Words broken into lines that fit a screen.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace traced {

inline constexpr std::size_t kScreenColumns = 100;

// `text`, which is safe for a terminal, behind `first`; the lines after the
// first begin with as many spaces. A word that is longer than a line has one of
// its own. Ends in a newline.
std::string wrapped(std::string_view first, std::string_view text,
                    std::size_t columns = kScreenColumns);

// Each line of a text that has more columns, broken; what follows stands under
// its beginning.
std::string wrappedLines(std::string_view text, std::size_t columns);

}  // namespace traced
