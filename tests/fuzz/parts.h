// Some targets take several files: one input holds them one after the other.

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "traced/v1/trace.pb.h"

namespace traced::testing {

inline constexpr std::string_view kPartSeparator = "\n-- next --\n";

std::vector<std::string_view> splitParts(std::string_view input);

// A part as a payload, if a decoder would take it.
std::optional<v1::Payload> payloadOf(std::string_view part);

}  // namespace traced::testing
