// The parts of a page.

#pragma once

#include <string>
#include <vector>

#include "analysis/report/report.h"
#include "cli/report/html/html_page.h"

namespace traced {

// Tables with what the text and the JSON of a report have; "" without rows.
std::string stepTable(const Report& report);
std::string latenessTable(const Report& report);
std::string linkTable(const Report& report);
std::string speedTable(const Report& report);
std::string operationTable(const Report& report);
std::string rankTable(const Report& report);
std::string groupTable(const Report& report);

// Returns the first screen: the sentence, four numbers and the verdicts.
std::string headerHtml(const PageInput& input);

// Returns what the page does not know. At least one sentence: that nothing is
// known to be missing.
std::vector<std::string> unknownSentences(const PageInput& input);

}  // namespace traced
