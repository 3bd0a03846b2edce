// Splits an input into several files, for targets that take more than one.

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "traced/v1/trace.pb.h"

namespace traced::testing {

inline constexpr std::string_view kPartSeparator = "\n-- next --\n";

std::vector<std::string_view> splitParts(std::string_view input);

// Returns a part as a payload if a decoder would accept it.
std::optional<v1::Payload> payloadOf(std::string_view part);

}  // namespace traced::testing
