// Texts for a page. Whatever is in a trace stays text there: it becomes neither
// markup nor script.

#pragma once

#include <string>
#include <string_view>

#include "cli/common/json.h"

namespace traced {

// Safe between tags, and in an attribute that stands in quotes. What a terminal
// must not be shown is "?" here, too.
std::string htmlText(std::string_view text);

// JSON that ends no <script> and starts no comment, on one line.
std::string scriptJson(const Json& json);

}  // namespace traced
