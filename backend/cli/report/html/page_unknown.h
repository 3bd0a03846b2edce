// What a page does not know, in sentences.

#pragma once

#include <string>
#include <vector>

#include "cli/report/html/html_page.h"

namespace traced {

// At least one: that nothing is known to be missing.
std::vector<std::string> unknownSentences(const PageInput& input);

}  // namespace traced
