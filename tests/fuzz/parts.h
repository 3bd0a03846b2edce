// Some targets take several files: one input holds them one after the other.

#pragma once

#include <string_view>
#include <vector>

namespace traced::testing {

inline constexpr std::string_view kPartSeparator = "\n-- next --\n";

std::vector<std::string_view> splitParts(std::string_view input);

}  // namespace traced::testing
