// What the page's script draws from.

#pragma once

#include "cli/common/json.h"
#include "cli/report/html/html_page.h"

namespace traced {

Json pageData(const PageInput& input);

}  // namespace traced
