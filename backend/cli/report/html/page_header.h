// The first screen of the page: the sentence, four numbers and the verdicts.

#pragma once

#include <string>

#include "cli/report/html/html_page.h"

namespace traced {

std::string headerHtml(const PageInput& input);

}  // namespace traced
