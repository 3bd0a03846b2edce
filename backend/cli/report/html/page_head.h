// How every page begins and ends. It asks for nothing, from anywhere.

#pragma once

#include <string>

#include "cli/common/json.h"
#include "cli/report/html/page_parts.h"

namespace traced {

// Up to the begin of the body.
std::string pageHead(const std::string& title, const PageParts& parts);
// What the page's script draws from, and the script.
std::string pageScript(const Json& data, const PageParts& parts);

}  // namespace traced
